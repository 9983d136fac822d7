#include "dsl/schedule/default_gpu_analysis.h"

#include <algorithm>

namespace sinter::schedule {

namespace {

using algebra::ConstantInterval;

// In operations. Storing an element and loading it again takes as long as about 64 of them: eight
// bytes at 16 floating-point operations a byte, two in an instruction.
constexpr double StoreAndLoad = 64;
/// What each thread may repeat for its own elements: they are several, and share it.
constexpr double OncePerThread = 32;
/// A table of at most so many elements is computed once rather than at each look-up.
constexpr std::int64_t Table = 1 << 16;
constexpr std::size_t ManyCalls = 100;
constexpr double Look = 6;  // what a look-up takes

bool is_literal(const ir::Node& n, std::size_t argument) {
  return argument < n.args.size() && n.args[argument]->op == ir::Op::Literal;
}

double cost_of_node(const ir::Node& n) {
  using ir::Op;
  const auto is = [&](std::initializer_list<Op> ops) {
    return std::find(ops.begin(), ops.end(), n.op) != ops.end();
  };
  const double division = n.type.is_float() ? 10 : is_literal(n, 1) ? 4 : 20;
  if (is({Op::Literal, Op::Symbol, Op::Cast, Op::Reinterpret, Op::PromiseClamped})) return 0.5;
  if (is({Op::Div, Op::Mod})) return division;
  if (ir::is_fast(n.op)) return 3;
  if (ir::is_portable(n.op)) return n.op == Op::Pow ? 60 : 25;
  return is({Op::Sqrt}) ? 10 : is({Op::Access}) ? 2 : 1;
}

bool mentions(const Expr& e, const std::vector<Symbol>& symbols) {
  const auto free = ir::free_symbols(e.node());
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const Symbol& s) { return free.contains(s); });
}

bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return ir::equal(x, y); });
}

ConstantInterval hull(const ConstantInterval& a, const ConstantInterval& b) {
  return {a.has_min && b.has_min, a.has_max && b.has_max, std::min(a.min, b.min),
          std::max(a.max, b.max)};
}

std::optional<std::int64_t> length(const ConstantInterval& i) {
  if (!i.has_min || !i.has_max) return std::nullopt;
  return std::max<std::int64_t>(i.max - i.min + 1, 0);
}

}  // namespace

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  constexpr std::int64_t Huge = std::int64_t{1} << 48;
  if (!a || !b) return std::nullopt;
  if (*a == 0 || *b == 0) return 0;
  return *a > Huge / *b ? Huge : *a * *b;
}

std::vector<Expr> expressions_of(const Definition& definition) {
  std::vector<Expr> all = definition.values;
  all.insert(all.end(), definition.coordinates.begin(), definition.coordinates.end());
  if (definition.predicate.defined()) all.push_back(definition.predicate);
  return all;
}

bool depends_on_data(const Expr& e) {
  bool found = false;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    found = found || n->op == ir::Op::Access;
    return !found;
  });
  return found;
}

DefaultGpuAnalysis::DefaultGpuAnalysis(const Algorithm& algorithm, const Schedule& estimates,
                                       const DefaultGpuOptions& options)
    : algorithm_(algorithm) {
  find_calls();
  find_boxes(estimates);
  for (const StageDefinition& s : algorithm_.stages) {
    const auto retreat = options.retreats.find(s.id);
    const Retreat given = retreat == options.retreats.end() ? Retreat::None : retreat->second;
    const bool may_be = s.definitions.size() == 1 && !algorithm_.is_output(s.id);
    const bool inlined = given == Retreat::Inline || (given == Retreat::None && pays_inline(s));
    if (may_be && inlined) inline_[s.id] = cost(s.definitions[0].values);
  }
}

void DefaultGpuAnalysis::find_calls() {
  for (const StageDefinition& s : algorithm_.stages) {
    for (std::size_t k = 0; k < s.definitions.size(); ++k) {
      for (const Expr& e : expressions_of(s.definitions[k])) {
        ir::for_each_node(e.node(), [&](const ir::Ref& n) {
          if (n->op != ir::Op::Access || n->symbol == s.id) return true;
          CallSite site{{s.id, static_cast<int>(k)}, {}};
          for (const ir::Ref& a : n->args) site.coordinates.push_back(ir::as_expr(a));
          auto& list = calls_[n->symbol];
          const bool known = std::any_of(list.begin(), list.end(), [&](const CallSite& c) {
            return c.consumer == site.consumer && same(c.coordinates, site.coordinates);
          });
          if (!known) list.push_back(std::move(site));
          return true;
        });
      }
    }
  }
}

algebra::ConstantScope DefaultGpuAnalysis::ranges(const StageRef& ref) const {
  algebra::ConstantScope scope;
  const auto box = boxes_.find(ref.stage);
  const StageDefinition& s = stage(ref.stage);
  for (std::size_t d = 0; d < s.rank(); ++d) {
    if (box != boxes_.end()) scope[s.variables[d]] = box->second[d];
  }
  for (const ReductionVariable& r : definition(ref).domain) {
    const Expr last =
        ir::binary(ir::Op::Add, r.min, ir::binary(ir::Op::Sub, r.extent, ir::index_literal(1)));
    const ConstantInterval low = algebra::constant_bounds(r.min, scope);
    const ConstantInterval high = algebra::constant_bounds(last, scope);
    scope[r.symbol] = {low.has_min, high.has_max, low.min, high.max};
  }
  return scope;
}

void DefaultGpuAnalysis::find_boxes(const Schedule& estimates) {
  for (const Symbol& id : algorithm_.outputs) boxes_[id].resize(stage(id).rank());
  for (const Entry& e : estimates.entries) {
    const auto* estimate = std::get_if<SetEstimate>(&e.directive);
    if (estimate == nullptr || !boxes_.contains(e.stage.stage)) continue;
    const auto& variables = stage(e.stage.stage).variables;
    for (std::size_t d = 0; d < variables.size(); ++d) {
      if (variables[d] == estimate->variable)
        boxes_[e.stage.stage][d] = {true, true, estimate->min,
                                    estimate->min + estimate->extent - 1};
    }
  }
  for (auto s = algorithm_.stages.rbegin(); s != algorithm_.stages.rend(); ++s) {
    const auto calls = calls_.find(s->id);
    if (calls == calls_.end()) continue;
    bool first = !algorithm_.is_output(s->id);
    auto& box = boxes_[s->id];
    box.resize(s->rank());
    for (const CallSite& call : calls->second) {
      const algebra::ConstantScope scope = ranges(call.consumer);
      for (std::size_t d = 0; d < s->rank(); ++d) {
        const ConstantInterval i = algebra::constant_bounds(call.coordinates[d], scope);
        box[d] = first ? i : hull(box[d], i);
      }
      first = false;
    }
  }
}

double DefaultGpuAnalysis::cost(const std::vector<Expr>& expressions) const {
  double sum = 0;
  std::unordered_set<const ir::Node*> seen;
  for (const Expr& e : expressions) {
    ir::for_each_node(e.node(), [&](const ir::Ref& n) {
      if (!seen.insert(n.get()).second) return false;
      const auto callee = n->op == ir::Op::Access ? inline_.find(n->symbol) : inline_.end();
      sum += callee != inline_.end() ? callee->second : cost_of_node(*n);
      return true;
    });
  }
  return sum;
}

double DefaultGpuAnalysis::cost_of(const StageRef& ref) const {
  return cost(expressions_of(definition(ref)));
}

/// Whether computing the stage anew wherever it is used costs less than keeping it.
bool DefaultGpuAnalysis::pays_inline(const StageDefinition& s) const {
  if (s.definitions.size() != 1 || s.definitions[0].is_undef()) return false;
  const auto calls = calls_.find(s.id);
  if (calls == calls_.end()) return true;
  const double own = cost(s.definitions[0].values);
  int loads = 0;
  for (const Expr& e : s.definitions[0].values) {
    ir::for_each_node(e.node(), [&](const ir::Ref& n) {
      loads += n->op == ir::Op::Access;
      return true;
    });
  }
  const bool looked_up =
      std::any_of(calls->second.begin(), calls->second.end(), [](const CallSite& call) {
        return std::any_of(call.coordinates.begin(), call.coordinates.end(), depends_on_data);
      });
  if (looked_up && own > Look && elements(s.id).value_or(Table + 1) <= Table) return false;
  if (loads <= 1 && own <= OncePerThread) return true;
  if (calls->second.size() > ManyCalls) return false;
  double times = 0;  // an element is computed
  for (std::size_t i = 0; i < calls->second.size(); ++i) {
    const CallSite& call = calls->second[i];
    if (own > OncePerThread && is_shared(call)) return false;
    const bool first = std::none_of(calls->second.begin(), calls->second.begin() + long(i),
                                    [&](const CallSite& c) { return c.consumer == call.consumer; });
    int most = 0;
    for (const CallSite& a : calls->second) {
      if (!first || !(a.consumer == call.consumer)) continue;
      most = std::max(
          most, int(std::count_if(calls->second.begin(), calls->second.end(),
                                  [&](const CallSite& other) { return may_meet(a, other); })));
    }
    times += most;
  }
  return own * (times - 1) <= StoreAndLoad;
}

/// Many elements of the consumer use one of the call's: a dimension of theirs is not in it.
bool DefaultGpuAnalysis::is_shared(const CallSite& call) const {
  const auto& variables = stage(call.consumer.stage).variables;
  for (std::size_t d = 0; d < variables.size(); ++d) {
    const bool few = d > 0 && extent(call.consumer.stage, d).value_or(Few + 1) <= Few;
    if (!few && std::none_of(call.coordinates.begin(), call.coordinates.end(), [&](const Expr& e) {
          return ir::uses_symbol(e.node(), variables[d]);
        }))
      return true;
  }
  return false;
}

/// Two calls of one definition reach the same element in different iterations, as those of a
/// stencil do, unless they differ where no loop moves them.
bool DefaultGpuAnalysis::may_meet(const CallSite& a, const CallSite& b) const {
  if (!(a.consumer == b.consumer)) return false;
  std::vector<Symbol> loops = stage(a.consumer.stage).variables;
  for (const ReductionVariable& r : definition(a.consumer).domain) loops.push_back(r.symbol);
  for (std::size_t d = 0; d < a.coordinates.size(); ++d) {
    const Expr &x = a.coordinates[d], &y = b.coordinates[d];
    if (!ir::equal(x, y) && !mentions(x, loops) && !mentions(y, loops)) return false;
  }
  return true;
}

const std::vector<CallSite>& DefaultGpuAnalysis::direct_calls_of(const Symbol& producer) const {
  static const std::vector<CallSite> None;
  const auto calls = calls_.find(producer);
  return calls == calls_.end() ? None : calls->second;
}

std::vector<CallSite> DefaultGpuAnalysis::calls_of(const Symbol& producer) const {
  std::vector<CallSite> found;
  for (const CallSite& call : direct_calls_of(producer)) {
    if (!is_inline(call.consumer.stage)) {
      found.push_back(call);
      continue;
    }
    const auto& variables = stage(call.consumer.stage).variables;
    for (const CallSite& outer : calls_of(call.consumer.stage)) {
      ir::Substitution at;
      for (std::size_t d = 0; d < variables.size(); ++d) at[variables[d]] = outer.coordinates[d];
      CallSite composed{outer.consumer, {}};
      for (const Expr& e : call.coordinates) composed.coordinates.push_back(ir::substitute(e, at));
      found.push_back(std::move(composed));
    }
  }
  return found;
}

std::vector<DefaultGpuAnalysis::Read> DefaultGpuAnalysis::reads_of(const StageRef& ref) const {
  std::vector<Read> found;
  constexpr std::size_t Enough = 200;
  const auto visit = [&](const auto& self, const std::vector<Expr>& expressions,
                         const ir::Substitution& at) -> void {
    for (const Expr& e : expressions) {
      ir::for_each_node(e.node(), [&](const ir::Ref& n) {
        if (n->op != ir::Op::Access || found.size() > Enough) return found.size() <= Enough;
        Read read{n->symbol, n->type, {}};
        for (const ir::Ref& a : n->args)
          read.coordinates.push_back(ir::substitute(ir::as_expr(a), at));
        if (!is_inline(n->symbol)) {
          found.push_back(std::move(read));
          return true;
        }
        const StageDefinition& callee = stage(n->symbol);
        ir::Substitution inner;
        for (std::size_t d = 0; d < callee.rank(); ++d)
          inner[callee.variables[d]] = read.coordinates[d];
        self(self, callee.definitions[0].values, inner);
        return true;
      });
    }
  };
  visit(visit, expressions_of(definition(ref)), {});
  return found;
}

std::optional<std::int64_t> DefaultGpuAnalysis::extent(const Symbol& stage,
                                                       std::size_t dimension) const {
  const auto box = boxes_.find(stage);
  return box == boxes_.end() ? std::nullopt : length(box->second[dimension]);
}

std::optional<std::int64_t> DefaultGpuAnalysis::elements(const Symbol& id) const {
  std::optional<std::int64_t> all = 1;
  for (std::size_t d = 0; d < stage(id).rank(); ++d) all = product(all, extent(id, d));
  return all;
}

std::optional<std::int64_t> DefaultGpuAnalysis::steps(const StageRef& ref) const {
  std::optional<std::int64_t> all = 1;
  const algebra::ConstantScope scope = ranges(ref);
  for (const ReductionVariable& r : definition(ref).domain) {
    const ConstantInterval e = algebra::constant_bounds(r.extent, scope);
    all = product(all, e.has_max ? std::optional<std::int64_t>(std::max<std::int64_t>(e.max, 0))
                                 : std::nullopt);
  }
  return all;
}

}  // namespace sinter::schedule
