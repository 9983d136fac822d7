// Expr and the operators: type matching, then one node. Nothing is simplified here.

#include <sinter/expr.h>

#include <atomic>

#include "dsl/algorithm/typing.h"
#include "dsl/ir/scalar.h"

namespace sinter {

using ir::Op;
using typing::Halves;

Expr Expr::of_bool(bool v) { return ir::literal(Bool(), v ? 1 : 0); }
Expr::Expr(std::int8_t v) : Expr(ir::literal(Int(8), v)) {}
Expr::Expr(std::int16_t v) : Expr(ir::literal(Int(16), v)) {}
Expr::Expr(std::int32_t v) : Expr(ir::literal(Int(32), v)) {}
Expr::Expr(std::int64_t v) : Expr(ir::literal(Int(64), v)) {}
Expr::Expr(std::uint8_t v) : Expr(ir::literal(UInt(8), v)) {}
Expr::Expr(std::uint16_t v) : Expr(ir::literal(UInt(16), v)) {}
Expr::Expr(std::uint32_t v) : Expr(ir::literal(UInt(32), v)) {}
Expr::Expr(std::uint64_t v) : Expr(ir::literal(UInt(64), static_cast<std::int64_t>(v))) {}
Expr::Expr(float16_t v) : Expr(ir::real_literal(Float(16), static_cast<double>(float(v)))) {}
Expr::Expr(bfloat16_t v) : Expr(ir::real_literal(BFloat(16), static_cast<double>(float(v)))) {}
Expr::Expr(float v) : Expr(ir::real_literal(Float(32), static_cast<double>(v))) {}
Expr::Expr(double v) : Expr(ir::real_literal(Float(64), v)) {}
Expr::Expr(const Var& v) : Expr(ir::symbol(Int(32), v.symbol())) {}

Type Expr::type() const { return node_ ? node_->type : Type{}; }

namespace {
std::string next_variable_name() {
  static std::atomic<unsigned> next{0};  // for people only: fresh symbols differ by identity
  return "v" + std::to_string(next.fetch_add(1, std::memory_order_relaxed));
}

Expr arithmetic(Op op, const LocatedExpr& left, Expr b, const char* what) {
  return typing::located(left, [&](Expr a) {
    typing::match(a, b, what, Halves::Promote);
    const Type type = a.type();
    if (type.is_bool()) {
      typing::refuse(what, "it does not work on bool operands",
                     "cast them to an integer type, or use && and ||");
    }
    if (type.kind == TypeKind::Handle)
      typing::refuse(what, "it does not work on handles", "compute with numbers");
    return ir::binary(op, a, b);
  });
}

Expr comparison(Op op, Expr a, Expr b, const std::source_location& where, const char* what) {
  return typing::located(where, [&] {
    typing::match(a, b, what, Halves::Promote);
    return ir::binary(op, a, b);
  });
}

Expr logic(Op op, const LocatedExpr& left, Expr b, const char* what) {
  return typing::located(left, [&](Expr a) {
    typing::require_bool(a, what);
    typing::require_bool(b, what);
    typing::match(a, b, what, Halves::Keep);
    return ir::binary(op, a, b);
  });
}

bool are_bools(const LocatedExpr& a, const LocatedExpr& b) {
  return a.expr.type().is_bool() && b.expr.type().is_bool();
}

/// Bit operators take the type of the left operand once both are equally wide.
Expr bitwise(Op op, const LocatedExpr& left, Expr b, const char* what) {
  return typing::located(left, [&](Expr a) {
    if (typing::is_adaptable(a) && !typing::is_adaptable(b) && b.defined() &&
        b.type().is_integer()) {
      a = typing::adapt(b.type(), a, what);
    }
    typing::match_bits(a, b, what);
    return ir::binary(op, a, cast(a.type(), b));
  });
}

Expr shift(Op op, const LocatedExpr& left, Expr amount, const char* what) {
  return typing::located(left, [&](Expr value) {
    typing::require_integer(value, what);
    typing::require_integer(amount, what);
    if (typing::is_adaptable(amount)) {
      const Type type = value.type();
      amount = typing::adapt(Int(type.bits, amount.type().lanes), amount, what);
    }
    typing::match_bits(value, amount, what);
    if (value.type().is_int() && amount.type().is_uint()) {
      // From the width on, all amounts give the same; those below keep their value in the signed
      // type.
      amount = cast(value.type(), min(amount, typing::constant(amount.type(), value.type().bits)));
    }
    return ir::expr(op, value.type(), {value, amount});
  });
}
}  // namespace

Var::Var() : symbol_(Symbol::fresh(next_variable_name())) {}
Var Var::outermost() { return Var("__outermost"); }

Expr operator+(LocatedExpr a, LocatedExpr b) {
  return arithmetic(Op::Add, a, std::move(b.expr), "operator +");
}
Expr operator-(LocatedExpr a, LocatedExpr b) {
  return arithmetic(Op::Sub, a, std::move(b.expr), "operator -");
}
Expr operator*(LocatedExpr a, LocatedExpr b) {
  return arithmetic(Op::Mul, a, std::move(b.expr), "operator *");
}
Expr operator/(LocatedExpr a, LocatedExpr b) {
  return arithmetic(Op::Div, a, std::move(b.expr), "operator /");
}

Expr operator%(LocatedExpr a, LocatedExpr b) {
  return typing::located(a, [&](Expr dividend) {
    typing::match(dividend, b.expr, "operator %", Halves::Promote);
    if (!dividend.type().is_float()) return arithmetic(Op::Mod, dividend, b.expr, "operator %");
    return dividend - b.expr * floor(dividend / b.expr);
  });
}

Expr operator-(LocatedExpr operand) {
  return typing::located(operand, [&](Expr a) {
    typing::require_defined(a, "operator -");
    a = typing::promoted(a);
    // 0 - x is not -x for a zero; a product with -1 is exact for every float.
    if (a.type().is_float()) return ir::binary(Op::Mul, typing::constant(a.type(), -1), a);
    return arithmetic(Op::Sub, typing::constant(a.type(), 0), a, "operator -");
  });
}

Expr operator&(LocatedExpr a, LocatedExpr b) {
  if (are_bools(a, b)) return std::move(a) && std::move(b);
  return bitwise(Op::BitAnd, a, std::move(b.expr), "operator &");
}
Expr operator|(LocatedExpr a, LocatedExpr b) {
  if (are_bools(a, b)) return std::move(a) || std::move(b);
  return bitwise(Op::BitOr, a, std::move(b.expr), "operator |");
}
Expr operator^(LocatedExpr a, LocatedExpr b) {
  if (are_bools(a, b)) return std::move(a) != std::move(b);
  return bitwise(Op::BitXor, a, std::move(b.expr), "operator ^");
}
Expr operator~(LocatedExpr operand) {
  if (operand.expr.type().is_bool()) return !std::move(operand);
  return typing::located(operand, [](const Expr& a) {
    typing::require_integer(a, "operator ~");
    return ir::unary(Op::BitNot, a);
  });
}
Expr operator<<(LocatedExpr a, LocatedExpr b) {
  return shift(Op::ShiftLeft, a, std::move(b.expr), "operator <<");
}
Expr operator>>(LocatedExpr a, LocatedExpr b) {
  return shift(Op::ShiftRight, a, std::move(b.expr), "operator >>");
}

Expr operator==(LocatedExpr a, LocatedExpr b) {
  return comparison(Op::Equal, std::move(a.expr), std::move(b.expr), a.where, "operator ==");
}
Expr operator!=(LocatedExpr a, LocatedExpr b) {
  return comparison(Op::NotEqual, std::move(a.expr), std::move(b.expr), a.where, "operator !=");
}
Expr operator<(LocatedExpr a, LocatedExpr b) {
  return comparison(Op::Less, std::move(a.expr), std::move(b.expr), a.where, "operator <");
}
Expr operator<=(LocatedExpr a, LocatedExpr b) {
  return comparison(Op::LessEqual, std::move(a.expr), std::move(b.expr), a.where, "operator <=");
}
Expr operator>(LocatedExpr a, LocatedExpr b) {
  return comparison(Op::Less, std::move(b.expr), std::move(a.expr), a.where, "operator >");
}
Expr operator>=(LocatedExpr a, LocatedExpr b) {
  return comparison(Op::LessEqual, std::move(b.expr), std::move(a.expr), a.where, "operator >=");
}

Expr operator&&(LocatedExpr a, LocatedExpr b) {
  return logic(Op::And, a, std::move(b.expr), "operator &&");
}
Expr operator||(LocatedExpr a, LocatedExpr b) {
  return logic(Op::Or, a, std::move(b.expr), "operator ||");
}
Expr operator!(LocatedExpr operand) {
  return typing::located(operand, [](const Expr& a) {
    typing::require_bool(a, "operator !");
    return ir::unary(Op::Not, a);
  });
}

Expr& operator+=(Expr& a, LocatedExpr b) { return a = LocatedExpr(a, b.where) + b; }
Expr& operator-=(Expr& a, LocatedExpr b) { return a = LocatedExpr(a, b.where) - b; }
Expr& operator*=(Expr& a, LocatedExpr b) { return a = LocatedExpr(a, b.where) * b; }
Expr& operator/=(Expr& a, LocatedExpr b) { return a = LocatedExpr(a, b.where) / b; }

Expr min(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    typing::match(a, b, "min", Halves::Promote);
    return a.type().is_bool() ? a && b : arithmetic(Op::Min, a, b, "min");
  });
}
Expr max(LocatedExpr first, Expr b) {
  return typing::located(first, [&](Expr a) {
    typing::match(a, b, "max", Halves::Promote);
    return a.type().is_bool() ? a || b : arithmetic(Op::Max, a, b, "max");
  });
}
Expr clamp(LocatedExpr value, Expr low, Expr high) {
  return typing::located(value, [&](const Expr& e) { return max(min(e, high), low); });
}

Expr select(LocatedExpr first, Expr if_true, Expr if_false) {
  return typing::located(first, [&](Expr condition) {
    typing::require_bool(condition, "select");
    typing::match(if_true, if_false, "select", Halves::Keep);
    const int lanes = if_true.type().lanes;
    if (condition.type().lanes != lanes) {
      if (condition.type().lanes == 1) {
        condition = ir::broadcast(condition, lanes);
      } else {
        if_true = ir::broadcast(if_true, condition.type().lanes);
        if_false = ir::broadcast(if_false, condition.type().lanes);
      }
    }
    return ir::select(condition, if_true, if_false);
  });
}

Expr mux(LocatedExpr index, const std::vector<Expr>& values) {
  return typing::located(index, [&](const Expr& i) {
    if (values.empty())
      typing::refuse("mux", "it has no values to choose from", "give at least one value");
    Expr result = values.back();
    for (std::size_t k = values.size() - 1; k-- > 0;) {
      result = select(i == static_cast<int>(k), values[k], result);
    }
    return result;
  });
}

Expr cast(Type wanted, LocatedExpr operand) {
  return typing::located(operand, [&](const Expr& e) {
    typing::require_defined(e, "cast");
    const Type type = wanted.with_lanes(e.type().lanes);
    if (type == e.type()) return e;
    if (type.is_void() || type.kind == TypeKind::Handle || e.type().kind == TypeKind::Handle) {
      typing::refuse(
          "cast", "there is no conversion from " + to_string(e.type()) + " to " + to_string(type),
          "cast between numbers only");
    }
    if (ir::is(e, Op::Broadcast) && ir::is(ir::arg(e, 0), Op::Literal)) {
      return ir::broadcast(cast(type.element(), ir::arg(e, 0)), type.lanes);
    }
    if (ir::is(e, Op::Literal)) {
      ir::Scalar literal;
      literal.type = e.type();
      literal.integer = e->integer;
      literal.real = e->real;
      const ir::Scalar result = ir::apply(Op::Cast, type, &literal, 1);
      return type.is_float() ? ir::real_literal(type, result.real)
                             : ir::literal(type, result.integer);
    }
    return ir::cast_to(type, e);
  });
}

Expr reinterpret(Type wanted, LocatedExpr operand) {
  return typing::located(operand, [&](const Expr& e) {
    typing::require_defined(e, "reinterpret");
    const Type type = wanted.with_lanes(e.type().lanes);
    if (type == e.type()) return e;
    if (type.bits != e.type().bits || type.is_bool() || type.is_index() || e.type().is_index()) {
      typing::refuse("reinterpret",
                     to_string(e.type()) + " and " + to_string(type) + " do not have the same bits",
                     "use cast to convert the value");
    }
    return ir::expr(Op::Reinterpret, type, {e});
  });
}

Expr u8(LocatedExpr e) { return cast(UInt(8), std::move(e)); }
Expr u16(LocatedExpr e) { return cast(UInt(16), std::move(e)); }
Expr u32(LocatedExpr e) { return cast(UInt(32), std::move(e)); }
Expr u64(LocatedExpr e) { return cast(UInt(64), std::move(e)); }
Expr i8(LocatedExpr e) { return cast(Int(8), std::move(e)); }
Expr i16(LocatedExpr e) { return cast(Int(16), std::move(e)); }
Expr i32(LocatedExpr e) { return cast(Int(32), std::move(e)); }
Expr i64(LocatedExpr e) { return cast(Int(64), std::move(e)); }
Expr f16(LocatedExpr e) { return cast(Float(16), std::move(e)); }
Expr bf16(LocatedExpr e) { return cast(BFloat(16), std::move(e)); }
Expr f32(LocatedExpr e) { return cast(Float(32), std::move(e)); }
Expr f64(LocatedExpr e) { return cast(Float(64), std::move(e)); }
Expr u8_sat(LocatedExpr e) { return saturating_cast(UInt(8), std::move(e)); }
Expr u16_sat(LocatedExpr e) { return saturating_cast(UInt(16), std::move(e)); }
Expr u32_sat(LocatedExpr e) { return saturating_cast(UInt(32), std::move(e)); }
Expr i8_sat(LocatedExpr e) { return saturating_cast(Int(8), std::move(e)); }
Expr i16_sat(LocatedExpr e) { return saturating_cast(Int(16), std::move(e)); }
Expr i32_sat(LocatedExpr e) { return saturating_cast(Int(32), std::move(e)); }

}  // namespace sinter
