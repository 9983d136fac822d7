#include "support.h"

#include <cstdlib>
#include <iostream>

namespace sinter::algebra::testing {

using ir::Op;

ir::Scalar evaluate_lane(const Expr& e, int lane, const Point& point) {
  const Type type = e->type.element();
  if (e->op == Op::Literal) return {type, e->integer, e->real};
  if (e->op == Op::Symbol) return ir::Scalar::of_integer(type, point.at(e->symbol));
  if (e->op == Op::Broadcast) return evaluate_lane(ir::arg(e, 0), 0, point);
  if (e->op == Op::Ramp) {
    const ir::Scalar base = evaluate_lane(ir::arg(e, 0), 0, point),
                     stride = evaluate_lane(ir::arg(e, 1), 0, point);
    return ir::Scalar::of_integer(type, base.integer + stride.integer * lane);
  }
  std::vector<ir::Scalar> args;
  for (const ir::Ref& a : e->args) args.push_back(evaluate_lane(Expr(a), lane, point));
  return ir::apply(e->op, type, args.data(), static_cast<int>(args.size()));
}

ir::Scalar evaluate(const Expr& e, const Point& point) { return evaluate_lane(e, 0, point); }

Expr ExpressionSource::index(int depth) {
  static const char* names[] = {"a", "b", "c", "d"};
  if (depth <= 0 || between(0, 9) == 0) {
    if (between(0, 3) == 0) return ir::index_literal(between(-3, 17));
    return ir::index_symbol(Symbol::named(names[between(0, 3)]));
  }
  const auto constant = [&] {
    static const std::int64_t usual[] = {1, 2, 3, 4, 8, 16, 7, -1, -2, -4, 0};
    return ir::index_literal(usual[between(0, 10)]);
  };
  switch (between(0, 12)) {
    case 0:
    case 1:
    case 2:
      return ir::binary(Op::Add, index(depth - 1), index(depth - 1));
    case 3:
      return ir::binary(Op::Sub, index(depth - 1), index(depth - 1));
    case 4:
    case 5:
      return ir::binary(Op::Mul, index(depth - 1), constant());
    case 6:
      return ir::binary(Op::Div, index(depth - 1), constant());
    case 7:
      return ir::binary(Op::Mod, index(depth - 1), constant());
    case 8:
      return ir::binary(Op::Min, index(depth - 1), index(depth - 1));
    case 9:
      return ir::binary(Op::Max, index(depth - 1), index(depth - 1));
    case 10:
      return ir::select(boolean(depth - 1), index(depth - 1), index(depth - 1));
    case 11:
      return ir::binary(Op::Add, index(depth - 1), ir::index_literal(between(-9, 9)));
    default: {
      static const Op ops[] = {Op::Div, Op::Mod, Op::Mul};
      return ir::binary(ops[between(0, 2)], index(depth - 1), index(depth - 1));
    }
  }
}

Expr ExpressionSource::boolean(int depth) {
  static const Op compares[] = {Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual};
  if (depth <= 1 || between(0, 2) != 0)
    return ir::binary(compares[between(0, 3)], index(depth - 1), index(depth - 1));
  if (between(0, 3) == 0) return ir::unary(Op::Not, boolean(depth - 1));
  return ir::binary(between(0, 1) == 0 ? Op::And : Op::Or, boolean(depth - 1), boolean(depth - 1));
}

Expr ExpressionSource::value(Type type, int depth) {
  if (depth <= 0 || between(0, 7) == 0) {
    if (between(0, 2) == 0) return ir::literal(type, between(-3, 260));
    static const char* names[] = {"s", "t", "u"};
    return ir::symbol(type,
                      Symbol::named(std::string(names[between(0, 2)]) + "_" + to_string(type)));
  }
  static const Op ops[] = {Op::Add, Op::Sub, Op::Mul,    Op::Div,   Op::Mod,
                           Op::Min, Op::Max, Op::BitAnd, Op::BitOr, Op::BitXor};
  static const Op compares[] = {Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual};
  static const Type types[] = {UInt(8), Int(8), UInt(16), Int(16), Int(32), UInt(32)};
  const std::int64_t kind = between(0, 13);
  if (kind < 10) return ir::binary(ops[kind], value(type, depth - 1), value(type, depth - 1));
  if (kind == 10) return ir::cast_to(type, value(types[between(0, 5)], depth - 1));
  if (kind == 11) return ir::cast_to(type, index(depth - 1));
  const Type compared = between(0, 1) == 0 ? type : types[between(0, 5)];
  const Expr condition =
      ir::binary(compares[between(0, 3)], value(compared, depth - 1), value(compared, depth - 1));
  return ir::select(condition, value(type, depth - 1), value(type, depth - 1));
}

Expr ExpressionSource::vector(int lanes, int depth) {
  if (depth <= 0 || between(0, 5) == 0) {
    if (between(0, 2) == 0) return ir::broadcast(index(2), lanes);
    return ir::ramp(index(2), ir::index_literal(between(-1, 4)), lanes);
  }
  static const Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max};
  static const Op compares[] = {Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual};
  const std::int64_t kind = between(0, 9);
  if (kind < 7) {
    const bool by_constant = between(0, 1) == 0;
    const Expr right = by_constant ? ir::broadcast(ir::index_literal(between(1, 8)), lanes)
                                   : vector(lanes, depth - 1);
    return ir::binary(ops[kind], vector(lanes, depth - 1), right);
  }
  const Expr condition =
      ir::binary(compares[between(0, 3)], vector(lanes, depth - 1), vector(lanes, depth - 1));
  return ir::select(condition, vector(lanes, depth - 1), vector(lanes, depth - 1));
}

Point ExpressionSource::point(const ConstantScope& known) {
  Point result;
  for (const char* name : {"a", "b", "c", "d"}) {
    const Symbol s = Symbol::named(name);
    const auto it = known.find(s);
    result[s] = it == known.end() ? between(-20, 20) : between(it->second.min, it->second.max);
  }
  for (const char* type : {"u8", "i8", "u16", "i16", "i32", "u32"}) {
    for (const char* name : {"s_", "t_", "u_"}) {
      const bool small = between(0, 1) == 0;
      result[Symbol::named(std::string(name) + type)] =
          small ? between(-5, 20) : between(INT32_MIN, INT32_MAX);
    }
  }
  return result;
}

std::uint64_t random_seed() {
  if (const char* text = std::getenv("SINTER_TEST_SEED")) return std::strtoull(text, nullptr, 10);
  return std::random_device{}();
}

std::int64_t distinct_nodes(const Expr& e) {
  std::int64_t count = 0;
  ir::for_each_node(e.node(), [&](const ir::Ref&) { return ++count, true; });
  return count;
}

}  // namespace sinter::algebra::testing
