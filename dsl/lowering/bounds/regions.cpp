#include "dsl/lowering/bounds/regions.h"

#include <algorithm>
#include <cstdlib>

#include <sinter/diagnostic.h>

#include "dsl/algebra/linear_form.h"
#include "dsl/algebra/simplify.h"

namespace sinter::lowering {

using algebra::Interval;
using algebra::simplify;

void merge_box(Box& box, const Box& more) {
  if (!box.defined()) {
    box = more;
    return;
  }
  ensure(box.dimensions.size() == more.dimensions.size(), "boxes of one stage have one rank");
  for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
    box.dimensions[d] = algebra::hull(box.dimensions[d], more.dimensions[d]);
  }
}

void merge(Regions& regions, const Regions& more) {
  for (const auto& [target, box] : more) merge_box(regions[target], box);
}

void add_accesses(Regions& regions, const Expr& expression) {
  // An empty scope: symbols stand for themselves, data in coordinates counts by its range.
  algebra::BoundsIn bounds;
  ir::for_each_node(expression.node(), [&](const ir::Ref& n) {
    if (n->op == ir::Op::Access) {
      Box box;
      for (const ir::Ref& c : n->args) box.dimensions.push_back(bounds(Expr(c)));
      Box& known = regions[n->symbol];
      if (!box.dimensions.empty()) merge_box(known, box);
    }
    return true;
  });
}

namespace {

template <typename Change>
void change_ends(Regions& regions, const Symbol& v, Change change) {
  for (auto& [target, box] : regions) {
    for (Interval& i : box.dimensions) {
      if (i.min.defined() && ir::uses_symbol(i.min.node(), v)) i.min = change(i.min, false);
      if (i.max.defined() && ir::uses_symbol(i.max.node(), v)) i.max = change(i.max, true);
    }
  }
}

}  // namespace

void eliminate(Regions& regions, const Symbol& v, const Interval& range) {
  const algebra::Scope scope{{v, range}};
  change_ends(regions, v, [&](const Expr& end, bool upper) {
    const Interval b = algebra::bounds_of(end, scope);
    return upper ? b.max : b.min;
  });
}

void substitute(Regions& regions, const Symbol& v, const Expr& value) {
  const ir::Substitution map{{v, value}};
  change_ends(regions, v,
              [&](const Expr& end, bool) { return simplify(ir::substitute(end, map)); });
}

static bool is_positive(const Expr& e) {
  std::int64_t value = 0;
  return ir::as_constant(e, &value) && value > 0;
}

void restrict_by(Regions& regions, const Expr& condition, const std::vector<Symbol>& order) {
  using ir::Op;
  if (ir::is(condition, Op::And)) {
    restrict_by(regions, ir::arg(condition, 0), order);
    restrict_by(regions, ir::arg(condition, 1), order);
    return;
  }
  if (ir::is(condition, Op::Equal) && ir::arg(condition, 0)->type.is_index()) {
    restrict_by(regions, ir::binary(Op::LessEqual, ir::arg(condition, 0), ir::arg(condition, 1)),
                order);
    restrict_by(regions, ir::binary(Op::LessEqual, ir::arg(condition, 1), ir::arg(condition, 0)),
                order);
    return;
  }
  const bool strict = ir::is(condition, Op::Less);
  if (!strict && !ir::is(condition, Op::LessEqual)) return;
  const Expr a = ir::arg(condition, 0), b = ir::arg(condition, 1);
  if (!a->type.is_index() || !a->type.is_scalar()) return;
  const Expr slack = simplify(strict ? b - a - ir::index_literal(1) : b - a);  // >= 0 inside
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Symbol& v = *it;
    const auto linear = algebra::linear_in(slack, v);
    if (!linear || (linear->coefficient != 1 && linear->coefficient != -1)) continue;
    const Interval limit = algebra::bounds_of(linear->rest, {});
    const Expr variable = ir::index_symbol(v);
    Expr bounded;
    if (linear->coefficient < 0) {
      if (!limit.max.defined()) continue;
      bounded = ir::binary(Op::Min, variable, limit.max);
    } else {
      if (!limit.max.defined()) continue;
      bounded = ir::binary(Op::Max, variable, simplify(ir::index_literal(0) - limit.max));
    }
    const ir::Substitution map{{v, bounded}};
    const bool caps = linear->coefficient < 0;  // v <= e, else v >= e
    const auto cut = [&](const auto& again, const Expr& end, bool upper) -> Expr {
      if (!ir::uses_symbol(end.node(), v)) return end;
      if (ir::is(end, Op::Min) || ir::is(end, Op::Max)) {
        return ir::binary(end->op, again(again, ir::arg(end, 0), upper),
                          again(again, ir::arg(end, 1), upper));
      }
      // The end that v pulls the other way has nothing to gain: min(v, e) may lie below all v.
      Expr of = end;  // quotients grow with v as what they are of
      while (ir::is(of, Op::Div) && is_positive(ir::arg(of, 1))) of = ir::arg(of, 0);
      const auto in_v = algebra::linear_in(of, v);
      if (in_v && (in_v->coefficient > 0 ? upper != caps : upper == caps)) return end;
      // 4*u + min(v, 9 - 4*u) is min(4*u + v, 9); quotients and multiples are cut off as a whole,
      // or they would lose what v has to do with u.
      const bool adds = in_v && std::abs(in_v->coefficient) == 1 && ir::equal(of, end);
      if (!in_v || adds) return ir::substitute(end, map);
      const Expr at_limit = ir::substitute(end, {{v, ir::arg(bounded, 1)}});
      return ir::binary(upper ? Op::Min : Op::Max, end, at_limit);
    };
    change_ends(regions, v,
                [&](const Expr& end, bool upper) { return simplify(cut(cut, end, upper)); });
    return;
  }
}

namespace {

Expr distance(const Expr& max, const Expr& min) {
  using ir::Op;
  if (ir::is(max, Op::Min)) {
    return ir::binary(Op::Min, distance(ir::arg(max, 0), min), distance(ir::arg(max, 1), min));
  }
  if (ir::is(max, Op::Max)) {
    return ir::binary(Op::Max, distance(ir::arg(max, 0), min), distance(ir::arg(max, 1), min));
  }
  if (ir::is(max, Op::Div) && ir::is(ir::arg(max, 0), Op::Min) && is_positive(ir::arg(max, 1))) {
    const Expr of = ir::arg(max, 0), by = ir::arg(max, 1);
    return ir::binary(Op::Min, distance(simplify(ir::arg(of, 0) / by), min),
                      distance(simplify(ir::arg(of, 1) / by), min));
  }
  if (ir::is(min, Op::Max)) {
    return ir::binary(Op::Min, distance(max, ir::arg(min, 0)), distance(max, ir::arg(min, 1)));
  }
  return simplify(max - min);
}

}  // namespace

Expr extent_of(const Interval& i) {
  ensure(i.bounded(), "extent of an unbounded interval");
  return simplify(distance(i.max, i.min) + ir::index_literal(1));
}

bool is_nondecreasing(const Expr& e, const Symbol& v, const Expr& first) {
  using ir::Op;
  if (!ir::uses_symbol(e.node(), v)) return true;
  if (const auto linear = algebra::linear_in(e, v)) return linear->coefficient >= 0;
  if (ir::is(e, Op::Symbol)) return true;
  std::int64_t c = 0;
  if (ir::is(e, Op::Add) || ir::is(e, Op::Min) || ir::is(e, Op::Max)) {
    return is_nondecreasing(ir::arg(e, 0), v, first) && is_nondecreasing(ir::arg(e, 1), v, first);
  }
  if (ir::is(e, Op::Sub)) {
    return is_nondecreasing(ir::arg(e, 0), v, first) && !ir::uses_symbol(e->args[1], v);
  }
  if ((ir::is(e, Op::Mul) || ir::is(e, Op::Div)) && ir::as_constant(ir::arg(e, 1), &c) && c > 0) {
    return is_nondecreasing(ir::arg(e, 0), v, first);
  }
  if (ir::is(e, Op::Select)) {
    // select(v == first, a, b): the step from a(first) to b(first + 1), then b alone.
    const Expr condition = ir::arg(e, 0);
    if (!ir::is(condition, Op::Equal)) return false;
    const Expr l = ir::arg(condition, 0), r = ir::arg(condition, 1);
    const Expr variable = ir::index_symbol(v);
    const bool matches = (ir::equal(l, variable) && ir::equal(r, first)) ||
                         (ir::equal(r, variable) && ir::equal(l, first));
    if (!matches) return false;
    const Expr a = ir::substitute(ir::arg(e, 1), {{v, first}});
    const Expr b = ir::substitute(ir::arg(e, 2), {{v, first + ir::index_literal(1)}});
    return is_nondecreasing(ir::arg(e, 2), v, first) &&
           algebra::prove(ir::binary(Op::LessEqual, a, b));
  }
  return false;
}

}  // namespace sinter::lowering
