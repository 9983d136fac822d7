#pragma once
// Reductions inside an expression: sum(f(x + r) * k(r)). Each makes a Func of the free variables of
// its operand, updated over the operand's reduction domain, and is a call of that Func. The Func can
// be given, to schedule it; a domain can be given when the operand mentions several.

#include <string>

#include <sinter/func.h>

namespace sinter {

Expr sum(const Expr&, const std::string& name = "sum");
Expr sum(const Expr&, const Func&);
Expr sum(const RDom&, const Expr&, const std::string& name = "sum");
Expr sum(const RDom&, const Expr&, const Func&);
/// 1 for an empty domain.
Expr product(const Expr&, const std::string& name = "product");
Expr product(const Expr&, const Func&);
Expr product(const RDom&, const Expr&, const std::string& name = "product");
Expr product(const RDom&, const Expr&, const Func&);
/// The largest value of the type (floats: infinity) for an empty domain.
Expr minimum(const Expr&, const std::string& name = "minimum");
Expr minimum(const Expr&, const Func&);
Expr minimum(const RDom&, const Expr&, const std::string& name = "minimum");
Expr minimum(const RDom&, const Expr&, const Func&);
Expr maximum(const Expr&, const std::string& name = "maximum");
Expr maximum(const Expr&, const Func&);
Expr maximum(const RDom&, const Expr&, const std::string& name = "maximum");
Expr maximum(const RDom&, const Expr&, const Func&);
/// The coordinates of the first smallest value in the domain, then the value.
Tuple argmin(const Expr&, const std::string& name = "argmin");
Tuple argmin(const Expr&, const Func&);
Tuple argmin(const RDom&, const Expr&, const std::string& name = "argmin");
Tuple argmin(const RDom&, const Expr&, const Func&);
Tuple argmax(const Expr&, const std::string& name = "argmax");
Tuple argmax(const Expr&, const Func&);
Tuple argmax(const RDom&, const Expr&, const std::string& name = "argmax");
Tuple argmax(const RDom&, const Expr&, const Func&);

}  // namespace sinter
