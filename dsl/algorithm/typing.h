#pragma once
// How the operands of an operator come to one type. The rules are those of section "Typing" in
// dsl/ir/semantics.md: literals adapt exactly, ints widen, float wins, halves are computed in f32.

#include <source_location>
#include <string>

#include <sinter/diagnostic.h>

#include "dsl/ir/node.h"

namespace sinter::typing {

/// Throws an AlgorithmError about operator or function `what`.
[[noreturn]] void refuse(const std::string& what, const std::string& reason,
                         const std::string& remedy);
/// What `make` returns; of its refusals, `where` is the line, and `stage` the stage if none is
/// named.
template <typename Make>
auto located(const std::source_location& where, Make&& make, const std::string& stage = "") {
  try {
    return make();
  } catch (const AlgorithmError& error) {
    Diagnostic diagnostic = error.diagnostic();
    if (diagnostic.stage.empty()) diagnostic.stage = stage;
    throw AlgorithmError(diagnostic.at(where));
  }
}
/// What `make` makes of the first operand; of its refusals, the line is that of the operand.
template <typename Make>
Expr located(const LocatedExpr& first, Make&& make) {
  return located(first.where, [&] { return make(first.expr); });
}
void require_defined(const Expr&, const std::string& what);
/// An i32 literal (or a broadcast of one): the only thing that adapts to other types.
bool is_adaptable(const Expr&);
/// An i32 literal as a literal of `type`; refuses when the value is not representable.
Expr adapt(Type type, const Expr& literal, const std::string& what);

enum class Halves { Promote, Keep };
/// Brings both operands to one type. Halves::Promote turns f16 and bf16 into f32 first.
void match(Expr& a, Expr& b, const std::string& what, Halves halves);
/// The same number of bits for both, each keeping its sign; for bit operators.
void match_bits(Expr& a, Expr& b, const std::string& what);
/// f16 and bf16 as f32; others as they are.
Expr promoted(const Expr&);
/// The operand of a float function: f32 or f64.
Expr as_float(const Expr&, const std::string& what);
/// A literal of any numeric type with the value of a small integer.
Expr constant(Type, std::int64_t);
/// Refuses all but wrapping integers.
void require_integer(const Expr&, const std::string& what);
void require_bool(const Expr&, const std::string& what);

}  // namespace sinter::typing
