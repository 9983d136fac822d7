// Driver of the simplifier: memoisation, fixed points, and the public entry points for expressions.

#include "dsl/algebra/simplify.h"

#include <algorithm>

#include "dsl/algebra/arithmetic.h"
#include "dsl/algebra/rule_engine.h"
#include "dsl/algebra/simplifier.h"

namespace sinter::algebra {

using ir::Op;
using ir::OpClass;

Expr Simplifier::operator()(const Expr& e) {
  if (!e.defined() || e->op == Op::Literal) return e;
  if (const auto it = memo_.find(e.node().get()); it != memo_.end()) return it->second.second;
  // Every step shrinks the expression or moves it towards the normal form; the limit only guards
  // against a pair of rules that undo each other.
  Expr current = e;
  for (int i = 0; i < 16; ++i) {
    is_settled_ = false;
    Expr next = step(current);
    const bool is_settled = is_settled_;
    is_settled_ = false;
    if (next.same_as(current) || ir::equal(next, current)) break;
    current = std::move(next);
    if (is_settled) break;
    if (const auto it = memo_.find(current.node().get()); it != memo_.end()) {
      current = it->second.second;
      break;
    }
  }
  if (!conditions_.empty() && current->type == Bool() && current->op != Op::Literal) {
    if (const auto it = conditions_.find(current); it != conditions_.end())
      current = ir::literal(Bool(), it->second);
  }
  memo_.insert_or_assign(e.node().get(), std::make_pair(e.node(), current));
  memo_.insert_or_assign(current.node().get(), std::make_pair(current.node(), current));
  return current;
}

Expr Simplifier::with_simplified_args(const Expr& e) {
  std::vector<ir::Ref> args;
  args.reserve(e->args.size());
  for (const ir::Ref& a : e->args) args.push_back((*this)(Expr(a)).node());
  return Expr(ir::with_args(e.node(), std::move(args)));
}

Expr Simplifier::step(const Expr& e) {
  if (e->op == Op::Literal) return e;
  if (e->op == Op::Symbol) {
    if (const auto it = replacements_.find(e->symbol); it != replacements_.end()) return it->second;
    const auto it = known_.find(e->symbol);
    const bool is_point = it != known_.end() && it->second.has_min && it->second.has_max &&
                          it->second.min == it->second.max;
    return is_point && !e->type.is_float() ? ir::literal(e->type, it->second.min) : e;
  }
  const bool is_coordinate = e->type.is_index() && e->type.is_scalar();
  if (is_coordinate && (e->op == Op::Add || e->op == Op::Sub || e->op == Op::Mul)) {
    const Expr sum = step_linear(e);
    if (sum->op != Op::Mul || is_settled_) return sum;
    return step_product(sum);
  }
  const Expr n = with_simplified_args(e);
  if (const Expr folded = fold_constants(n); folded.defined()) return folded;
  if (n->op == Op::PromiseClamped &&
      n->type.is_index()) {  // a promise that literals keep is their value
    std::int64_t value = 0, low = 0, high = 0;
    const bool known = ir::as_constant(ir::arg(n, 0), &value) &&
                       ir::as_constant(ir::arg(n, 1), &low) &&
                       ir::as_constant(ir::arg(n, 2), &high);
    if (known && low <= value && value <= high) return ir::arg(n, 0);
  }
  Expr r = n;
  const auto unchanged = [&] { return r.same_as(n); };
  if (n->type.is_vector() || (!n->args.empty() && ir::arg(n, 0)->type.is_vector()))
    r = step_vector(n);
  if (!unchanged()) return r;
  const bool of_coordinates = !n->args.empty() && n->args[0]->type == Index();
  if (is_coordinate) {
    if (n->op == Op::Div) r = step_divide(n);
    else if (n->op == Op::Mod) r = step_modulo(n);
    else if (n->op == Op::Min || n->op == Op::Max) r = step_extremum(n);
    else if (n->op == Op::Select) r = step_select(n);
  } else if (ir::info(n->op).op_class == OpClass::Compare && of_coordinates) {
    r = step_compare(n);
  } else if (n->op == Op::And || n->op == Op::Or || n->op == Op::Not) {
    r = step_logic(n);
  } else if (n->op != Op::Cast) {
    r = step_value(n);
  }
  if (unchanged() && n->op == Op::Cast) r = step_cast(n);
  if (!unchanged()) return r;
  const Expr rewritten = apply_rules(n);
  return rewritten.defined() ? rewritten : n;
}

namespace {

/// Puts entries into a map for the time being.
template <typename Map>
class Overlay {
 public:
  explicit Overlay(Map& map) : map_(map) {}
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;
  ~Overlay() {
    while (!before_.empty()) {
      auto& [key, value] = before_.back();
      if (value) map_[key] = *value;
      else map_.erase(key);
      before_.pop_back();
    }
  }
  void put(const typename Map::key_type& key, const typename Map::mapped_type& value) {
    const auto it = map_.find(key);
    before_.emplace_back(key, it == map_.end() ? std::nullopt : std::optional(it->second));
    map_[key] = value;
  }

 private:
  Map& map_;
  std::vector<std::pair<typename Map::key_type, std::optional<typename Map::mapped_type>>> before_;
};

}  // namespace

void Simplifier::with_facts(const Facts& facts, const std::function<void()>& body) {
  if (facts.empty()) return body();
  Overlay known(known_);
  Overlay replacements(replacements_);
  Overlay conditions(conditions_);
  for (const auto& [symbol, range] : facts.ranges) known.put(symbol, range);
  for (const auto& [symbol, value] : facts.replacements) replacements.put(symbol, value);
  for (const auto& [condition, value] : facts.conditions) conditions.put(condition, value);
  // Results found under other facts are put aside, and come back afterwards.
  Memo memo;
  ConstantBounds::Memo bounds_memo;
  memo_.swap(memo);
  constants_.swap(bounds_memo);
  body();
  memo_.swap(memo);
  constants_.swap(bounds_memo);
}

std::int64_t Simplifier::size(const Expr& e) {
  // Nodes count first, then how many of them are not literals.
  constexpr std::int64_t node = std::int64_t{1} << 20, limit = std::int64_t{1} << 60;
  if (e->args.empty()) return e->op == Op::Literal ? node : node + 1;
  if (const auto it = sizes_.find(e.node().get()); it != sizes_.end()) return it->second.second;
  std::int64_t total = node;
  for (const ir::Ref& a : e->args) total = std::min(total + size(Expr(a)), limit);
  sizes_.emplace(e.node().get(), std::make_pair(e.node(), total));
  return total;
}

Expr simplify(const Expr& e, const ConstantScope& known) { return Simplifier(known)(e); }

bool prove(const Expr& condition, const ConstantScope& known) {
  return ir::is_constant(simplify(condition, known), 1);
}

}  // namespace sinter::algebra
