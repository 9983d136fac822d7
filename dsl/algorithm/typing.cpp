#include "dsl/algorithm/typing.h"

#include <algorithm>

#include "dsl/algorithm/wording.h"
#include "dsl/ir/scalar.h"

namespace sinter::typing {

void refuse(const std::string& what, const std::string& reason, const std::string& remedy) {
  throw AlgorithmError(make_diagnostic("", what, reason, remedy));
}

void require_defined(const Expr& e, const std::string& what) {
  if (e.defined()) return;
  refuse(what, "an operand is an undefined Expr", "give every operand a value before it is used");
}

namespace {

Expr scalar_of(const Expr& e) { return ir::is(e, ir::Op::Broadcast) ? ir::arg(e, 0) : e; }

void match_lanes(Expr& a, Expr& b, const std::string& what) {
  const int lanes_a = a.type().lanes;
  const int lanes_b = b.type().lanes;
  if (lanes_a == lanes_b) return;
  if (lanes_a == 1) {
    a = ir::broadcast(a, lanes_b);
  } else if (lanes_b == 1) {
    b = ir::broadcast(b, lanes_a);
  } else {
    refuse(what,
           "its operands have " + std::to_string(lanes_a) + " and " + std::to_string(lanes_b) +
               " lanes",
           "use vectors of one length");
  }
}

/// Coordinates meet only coordinates and literals; anything else is a mistake of the compiler.
bool match_index(Expr& a, Expr& b) {
  if (!a.type().is_index() && !b.type().is_index()) return false;
  for (Expr* e : {&a, &b}) {
    if (e->type().is_index()) continue;
    ensure(is_adaptable(*e), "an index expression meets data");
    *e = ir::literal(Index(e->type().lanes), scalar_of(*e)->integer);
  }
  return true;
}

Type common_type(Type a, Type b, const std::string& what) {
  const int lanes = a.lanes;
  if (a.kind == TypeKind::Handle || b.kind == TypeKind::Handle || a.is_void() || b.is_void()) {
    refuse(what,
           "operands of types " + to_string(a) + " and " + to_string(b) + " have no common type",
           "cast one of them to the other's type");
  }
  if (a.is_float() && b.is_float()) {
    if (a.bits == b.bits)
      return Float(32, lanes);  // f16 with bf16: the smallest type that holds both
    return a.bits > b.bits ? a : b;
  }
  if (a.is_float()) return a;
  if (b.is_float()) return b;
  if (a.is_bool()) return b;
  if (b.is_bool()) return a;
  const int bits = std::max(a.bits, b.bits);
  return a.is_int() || b.is_int() ? Int(bits, lanes) : UInt(bits, lanes);
}

}  // namespace

bool is_adaptable(const Expr& e) {
  const Expr scalar = scalar_of(e);
  return ir::is(scalar, ir::Op::Literal) && scalar.type() == Int(32);
}

Expr adapt(Type type, const Expr& literal, const std::string& what) {
  const std::int64_t value = scalar_of(literal)->integer;
  bool exact = true;
  if (type.is_float()) {
    const double real = static_cast<double>(value);
    exact = ir::Scalar::of_real(type.element(), real).real == real;
  } else if (type.is_bool() || type.is_integer()) {
    exact = value >= type.min_int() && (type.bits == 64 || value <= type.max_int());
  }
  if (!exact) {
    refuse(what,
           "the literal " + std::to_string(value) +
               " is not representable in the other operand's type, " + to_string(type.element()),
           "cast the other operand to a type that holds both");
  }
  return constant(type, value);
}

Expr promoted(const Expr& e) {
  const Type type = e.type();
  return type.is_float() && type.bits == 16 ? cast(Float(32, type.lanes), e) : e;
}

void match(Expr& a, Expr& b, const std::string& what, Halves halves) {
  require_defined(a, what);
  require_defined(b, what);
  match_lanes(a, b, what);
  if (match_index(a, b)) return;
  if (halves == Halves::Promote) {
    a = promoted(a);
    b = promoted(b);
  }
  if (a.type() == b.type()) return;
  if (is_adaptable(a)) {
    a = adapt(b.type(), a, what);
  } else if (is_adaptable(b)) {
    b = adapt(a.type(), b, what);
  } else {
    const Type type = common_type(a.type(), b.type(), what);
    a = cast(type, a);
    b = cast(type, b);
  }
}

void require_integer(const Expr& e, const std::string& what) {
  require_defined(e, what);
  if (e.type().is_integer()) return;
  refuse(what, "it works on integers, and an operand is " + to_string(e.type()),
         "cast the operand to an integer type");
}

void require_bool(const Expr& e, const std::string& what) {
  require_defined(e, what);
  if (e.type().is_bool()) return;
  refuse(what, "it needs a bool, and is given " + to_string(e.type()),
         "write a comparison, such as e != 0");
}

void match_bits(Expr& a, Expr& b, const std::string& what) {
  require_integer(a, what);
  require_integer(b, what);
  match_lanes(a, b, what);
  if (a.type().bits == b.type().bits) return;
  // A mask such as 0xff adapts to the value it is applied to; it may be written as the unsigned
  // value.
  if (is_adaptable(a)) {
    a = adapt(b.type(), a, what);
    return;
  }
  if (is_adaptable(b)) {
    b = adapt(a.type(), b, what);
    return;
  }
  Expr& narrow = a.type().bits < b.type().bits ? a : b;
  const int bits = std::max(a.type().bits, b.type().bits);
  Type type = narrow.type();
  type.bits = static_cast<std::uint8_t>(bits);
  narrow = cast(type, narrow);
}

Expr as_float(const Expr& e, const std::string& what) {
  require_defined(e, what);
  const Type type = e.type();
  if (type.is_float()) return promoted(e);
  if (type.is_integer() || type.is_bool()) return cast(Float(32, type.lanes), e);
  refuse(what, "it works on numbers, and its operand is " + to_string(type),
         "cast the operand to a float type");
}

Expr constant(Type type, std::int64_t value) {
  const Expr scalar = type.is_float() ? ir::real_literal(type.element(), static_cast<double>(value))
                                      : ir::literal(type.element(), value);
  return ir::broadcast(scalar, type.lanes);
}

}  // namespace sinter::typing
