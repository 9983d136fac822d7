#pragma once
// Reductions inside an expression: sum(f(x + r) * k(r)). Each makes a Func of the free variables of
// its operand, updated over the operand's reduction domain, and is a call of that Func. The Func
// can be given, to schedule it; a domain can be given when the operand mentions several.

#include <string>

#include <sinter/func.h>

namespace sinter {

Expr sum(const LocatedExpr&, const std::string& name = "sum");
Expr sum(const LocatedExpr&, const Func&);
Expr sum(const RDom&, const LocatedExpr&, const std::string& name = "sum");
Expr sum(const RDom&, const LocatedExpr&, const Func&);
/// 1 for an empty domain.
Expr product(const LocatedExpr&, const std::string& name = "product");
Expr product(const LocatedExpr&, const Func&);
Expr product(const RDom&, const LocatedExpr&, const std::string& name = "product");
Expr product(const RDom&, const LocatedExpr&, const Func&);
/// The largest value of the type (floats: infinity) for an empty domain.
Expr minimum(const LocatedExpr&, const std::string& name = "minimum");
Expr minimum(const LocatedExpr&, const Func&);
Expr minimum(const RDom&, const LocatedExpr&, const std::string& name = "minimum");
Expr minimum(const RDom&, const LocatedExpr&, const Func&);
Expr maximum(const LocatedExpr&, const std::string& name = "maximum");
Expr maximum(const LocatedExpr&, const Func&);
Expr maximum(const RDom&, const LocatedExpr&, const std::string& name = "maximum");
Expr maximum(const RDom&, const LocatedExpr&, const Func&);
/// The coordinates of the first smallest value in the domain, then the value.
Tuple argmin(const LocatedExpr&, const std::string& name = "argmin");
Tuple argmin(const LocatedExpr&, const Func&);
Tuple argmin(const RDom&, const LocatedExpr&, const std::string& name = "argmin");
Tuple argmin(const RDom&, const LocatedExpr&, const Func&);
Tuple argmax(const LocatedExpr&, const std::string& name = "argmax");
Tuple argmax(const LocatedExpr&, const Func&);
Tuple argmax(const RDom&, const LocatedExpr&, const std::string& name = "argmax");
Tuple argmax(const RDom&, const LocatedExpr&, const Func&);

}  // namespace sinter
