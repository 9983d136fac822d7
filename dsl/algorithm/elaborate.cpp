#include "dsl/algorithm/elaborate.h"

#include <algorithm>
#include <bit>

#include "dsl/algorithm/func_contents.h"
#include "dsl/algorithm/typing.h"

namespace sinter {

using ir::Op;

namespace {

bool is_comparison(Op op) { return ir::info(op).op_class == ir::OpClass::Compare; }

bool is_coordinate_arithmetic(Op op) {
  return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Mod ||
         op == Op::Min || op == Op::Max;
}

/// Index symbol behind an i32 symbol of the front end; empty for parameters.
Symbol index_symbol_of(const ir::Node& node) {
  const Entity* entity = entity_of(node);
  if (entity == nullptr) return node.type == Int(32) ? node.symbol : Symbol();
  return entity->kind == Entity::Kind::Parameter ? Symbol() : node.symbol;
}

/// Bit operators that are arithmetic of Z as well: e & (2^k - 1) == e mod 2^k, shifts by constants.
/// Empty when `e` is none of them.
struct ArithmeticForm {
  Op op;
  std::int64_t constant;
};
std::optional<ArithmeticForm> arithmetic_form(const Expr& e) {
  std::int64_t c = 0;
  if (e->args.size() != 2 || !ir::as_constant(ir::arg(e, 1), &c)) return std::nullopt;
  if (e->op == Op::BitAnd && c > 0 && std::has_single_bit(static_cast<std::uint64_t>(c) + 1)) {
    return ArithmeticForm{Op::Mod, c + 1};
  }
  if (e->op == Op::ShiftLeft && c >= 0 && c < 31)
    return ArithmeticForm{Op::Mul, std::int64_t{1} << c};
  if (e->op == Op::ShiftRight && c >= 0 && c < 31)
    return ArithmeticForm{Op::Div, std::int64_t{1} << c};
  return std::nullopt;
}

template <typename Memo, typename Make>
Expr remembered(Memo& memo, std::vector<ir::Ref>& kept, const Expr& e, Make&& make) {
  if (auto it = memo.find(e.node().get()); it != memo.end()) return it->second;
  Expr result = make(e);
  kept.push_back(e.node());
  memo.emplace(e.node().get(), result);
  return result;
}

}  // namespace

Expr Elaborator::coordinate(const Expr& e) {
  return remembered(coordinates_, kept_, e, [this](const Expr& x) { return make_coordinate(x); });
}
Expr Elaborator::value(const Expr& e) {
  return remembered(values_, kept_, e, [this](const Expr& x) { return make_value(x); });
}
Expr Elaborator::condition(const Expr& e) {
  return remembered(conditions_, kept_, e, [this](const Expr& x) { return make_condition(x); });
}

Expr Elaborator::make_coordinate(const Expr& e) {
  if (e.type() == Int(32)) {
    if (e->op == Op::Literal) return ir::index_literal(e->integer);
    if (e->op == Op::Symbol) {
      if (const Symbol s = index_symbol_of(*e)) return ir::index_symbol(s);
    }
    if (is_coordinate_arithmetic(e->op)) {
      return ir::binary(e->op, coordinate(ir::arg(e, 0)), coordinate(ir::arg(e, 1)));
    }
    if (e->op == Op::Select) {
      return ir::select(condition(ir::arg(e, 0)), coordinate(ir::arg(e, 1)),
                        coordinate(ir::arg(e, 2)));
    }
    if (e->op == Op::Strict) return coordinate(ir::arg(e, 0));
    if (e->op == Op::PromiseClamped) {
      return ir::expr(
          Op::PromiseClamped, Index(),
          {coordinate(ir::arg(e, 0)), coordinate(ir::arg(e, 1)), coordinate(ir::arg(e, 2))});
    }
    if (const auto form = arithmetic_form(e)) {
      return ir::binary(form->op, coordinate(ir::arg(e, 0)), ir::index_literal(form->constant));
    }
  }
  return ir::cast_to(Index(), value(e));
}

Expr Elaborator::make_condition(const Expr& e) {
  if (e->op == Op::And || e->op == Op::Or)
    return ir::binary(e->op, condition(ir::arg(e, 0)), condition(ir::arg(e, 1)));
  if (e->op == Op::Not) return ir::unary(e->op, condition(ir::arg(e, 0)));
  if (e->op == Op::Select) {
    return ir::select(condition(ir::arg(e, 0)), condition(ir::arg(e, 1)), condition(ir::arg(e, 2)));
  }
  if (is_comparison(e->op) && ir::arg(e, 0).type() == Int(32)) {
    return ir::binary(e->op, coordinate(ir::arg(e, 0)), coordinate(ir::arg(e, 1)));
  }
  return value(e);
}

Expr Elaborator::make_value(const Expr& e) {
  if (e->op == Op::Symbol) {
    if (const Symbol s = index_symbol_of(*e)) return ir::cast_to(Int(32), ir::index_symbol(s));
    return ir::symbol(e.type(), e->symbol);
  }
  if (e->op == Op::Access) {
    std::vector<Expr> coordinates;
    for (const ir::Ref& a : e->args) coordinates.push_back(coordinate(Expr(a)));
    return ir::access(e.type(), e->symbol, std::move(coordinates), static_cast<int>(e->integer));
  }
  if (e->op == Op::Undef) {
    typing::refuse("undef", "undef is only a definition's whole value", "write f(x) = undef<T>()");
  }
  if (is_comparison(e->op) && is_pure_coordinate(ir::arg(e, 0)) &&
      is_pure_coordinate(ir::arg(e, 1))) {
    return ir::binary(e->op, coordinate(ir::arg(e, 0)), coordinate(ir::arg(e, 1)));
  }
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : e->args) args.push_back(value(Expr(a)).node());
  return Expr(ir::with_args(e.node(), std::move(args)));
}

bool Elaborator::is_pure_coordinate(const Expr& e) {
  if (e.type() != Int(32)) return false;
  if (e->op == Op::Literal || e->op == Op::Symbol) return true;
  if (auto it = pure_.find(e.node().get()); it != pure_.end()) return it->second;
  bool pure = false;
  if (is_coordinate_arithmetic(e->op)) {
    pure = is_pure_coordinate(ir::arg(e, 0)) && is_pure_coordinate(ir::arg(e, 1));
  } else if (e->op == Op::Select) {
    pure = is_pure_condition(ir::arg(e, 0)) && is_pure_coordinate(ir::arg(e, 1)) &&
           is_pure_coordinate(ir::arg(e, 2));
  } else if (arithmetic_form(e)) {
    pure = is_pure_coordinate(ir::arg(e, 0));
  }
  kept_.push_back(e.node());
  pure_.emplace(e.node().get(), pure);
  return pure;
}

bool Elaborator::is_pure_condition(const Expr& e) {
  if (e->op == Op::Literal || e->op == Op::Symbol) return true;
  if (is_comparison(e->op))
    return is_pure_coordinate(ir::arg(e, 0)) && is_pure_coordinate(ir::arg(e, 1));
  if (e->op != Op::And && e->op != Op::Or && e->op != Op::Not) return false;
  return std::all_of(e->args.begin(), e->args.end(),
                     [this](const ir::Ref& a) { return is_pure_condition(Expr(a)); });
}

namespace {

/// Whether node `e` may be fused is a question about `e` and its direct operands only, so each node
/// is rewritten once; inside strict() nothing is.
class Contraction {
 public:
  Expr rewrite(const Expr& e, bool is_strict) {
    auto& memo = memo_[is_strict ? 1 : 0];
    if (auto it = memo.find(e.node().get()); it != memo.end()) return it->second;
    Expr result = make(e, is_strict);
    memo.emplace(e.node().get(), result);
    return result;
  }

 private:
  Expr make(const Expr& e, bool is_strict) {
    if (e->op == Op::Strict) return rewrite(ir::arg(e, 0), true);
    if (!is_strict && (e->op == Op::Add || e->op == Op::Sub) && e.type().is_float() &&
        e.type().bits >= 32) {
      const Expr a = ir::arg(e, 0);
      const Expr b = ir::arg(e, 1);
      const bool is_difference = e->op == Op::Sub;
      if (is_product(a)) {
        const Expr rest = rewrite(b, false);
        return fused(rewrite(ir::arg(a, 0), false), rewrite(ir::arg(a, 1), false),
                     is_difference ? negated(rest) : rest);
      }
      if (is_product(b)) {
        const Expr factor = rewrite(ir::arg(b, 0), false);
        return fused(is_difference ? negated(factor) : factor, rewrite(ir::arg(b, 1), false),
                     rewrite(a, false));
      }
    }
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : e->args) args.push_back(rewrite(Expr(a), is_strict).node());
    return Expr(ir::with_args(e.node(), std::move(args)));
  }
  /// A product with the literal -1 is a negation: exact, so there is nothing to gain.
  static bool is_product(const Expr& e) {
    if (e->op != Op::Mul) return false;
    const Expr factor = ir::arg(e, 0);
    return !(factor->op == Op::Literal && factor->real == -1.0);
  }
  static Expr negated(const Expr& e) {
    if (e->op == Op::Literal) return ir::real_literal(e.type(), -e->real);
    return ir::binary(Op::Mul, ir::real_literal(e.type(), -1.0), e);
  }
  static Expr fused(const Expr& a, const Expr& b, const Expr& c) {
    return ir::expr(Op::Fma, c.type(), {a, b, c});
  }

  std::unordered_map<const ir::Node*, Expr> memo_[2];
};

template <typename T>
void add_once(std::vector<std::shared_ptr<const T>>& list, const std::shared_ptr<const T>& item,
              const Symbol& id) {
  for (const auto& known : list) {
    const Symbol* known_id = nullptr;
    if constexpr (std::is_same_v<T, FuncContents>) known_id = &known->definition.id;
    else known_id = &known->id;
    if (*known_id == id) return;
  }
  list.push_back(item);
}

}  // namespace

Expr contract(const Expr& value) { return Contraction().rewrite(value, false); }

void gather_references(const Expr& e, References& references, const FuncContents* self) {
  if (!e.defined()) return;
  ir::for_each_node(e.node(), [&](const ir::Ref& node) {
    if (const auto func = entity_as<FuncContents>(*node, Entity::Kind::Func)) {
      if (func.get() != self) add_once(references.funcs, func, func->definition.id);
    } else if (const auto image = entity_as<ImageContents>(*node, Entity::Kind::Image)) {
      add_once(references.images, image, image->id);
    } else if (const auto field = entity_as<ImageField>(*node, Entity::Kind::Field)) {
      add_once(references.images, field->image, field->image->id);
    } else if (const auto parameter =
                   entity_as<ParameterContents>(*node, Entity::Kind::Parameter)) {
      add_once(references.parameters, parameter, parameter->id);
    }
    return true;
  });
}

}  // namespace sinter
