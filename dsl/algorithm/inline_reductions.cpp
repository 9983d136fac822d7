#include <sinter/inline_reductions.h>

#include <limits>

#include "dsl/algorithm/entities.h"
#include "dsl/algorithm/typing.h"

namespace sinter {

using ir::Op;

namespace {

/// The operand with everything free turned into arguments of the reduction's Func.
struct Operand {
  Expr value;                  // over `variables` and the domain
  std::vector<Var> variables;  // arguments of the Func
  std::vector<Expr> call;      // what the caller gives for them
  std::shared_ptr<const DomainContents> domain;
  std::source_location where;  // the user's line

  std::vector<Expr> arguments() const { return {variables.begin(), variables.end()}; }
};

/// `r`: null, or the domain that is meant.
Operand operand_of(const LocatedExpr& located, const RDom* r, const char* what) {
  const Expr& e = located.expr;
  typing::require_defined(e, what);
  const bool is_domain_given = r != nullptr;
  if (is_domain_given && !r->defined()) {
    typing::refuse(what, "the RDom has no dimensions", "construct it with (min, extent) pairs");
  }
  std::shared_ptr<const DomainContents> domain = is_domain_given ? r->contents() : nullptr;
  Operand operand;
  operand.where = located.where;
  std::unordered_map<Symbol, Expr> replaced;  // variables of outer reductions become Vars
  std::vector<Symbol> seen;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    if (n->op != Op::Symbol || n->type != Int(32)) return true;
    const auto found = entity_as<DomainContents>(*n, Entity::Kind::Domain);
    if (found && !is_domain_given && !domain) domain = found;
    if (found && found == domain) return true;
    if (found && !is_domain_given) {
      typing::refuse(what, "its operand mentions two reduction domains",
                     "say which one is meant: sum(r, ...)");
    }
    if (!found && entity_of(*n) != nullptr) return true;  // parameters, sizes
    for (const Symbol& s : seen) {
      if (s == n->symbol) return true;
    }
    seen.push_back(n->symbol);
    const Var variable = found ? Var() : Var(n->symbol);
    if (found) replaced.emplace(n->symbol, Expr(variable));
    operand.variables.push_back(variable);
    operand.call.emplace_back(Expr(n));
    return true;
  });
  if (!domain) {
    typing::refuse(what, "its operand mentions no reduction domain",
                   "use a variable of an RDom in it");
  }
  operand.domain = domain;
  operand.value = replaced.empty() ? e : ir::substitute(e, replaced);
  return operand;
}

Expr smallest(Type type) {
  if (type.is_float()) return ir::real_literal(type, -std::numeric_limits<double>::infinity());
  return ir::literal(type, type.min_int());
}
Expr largest(Type type) {
  if (type.is_float()) return ir::real_literal(type, std::numeric_limits<double>::infinity());
  return ir::literal(type, type.is_uint() && type.bits == 64 ? -1 : type.max_int());
}

FuncRef at(const Func& f, const std::vector<Expr>& arguments, const Operand& o) {
  return f(arguments, o.where);
}

Expr sum_of(const Operand& o, const Func& f) {
  at(f, o.arguments(), o) += o.value;
  return at(f, o.call, o);
}
Expr product_of(const Operand& o, const Func& f) {
  at(f, o.arguments(), o) *= o.value;
  return at(f, o.call, o);
}
Expr extreme_of(const Operand& o, const Func& f, bool is_minimum) {
  const Type type = o.value.type();
  at(f, o.arguments(), o) = is_minimum ? largest(type) : smallest(type);
  const Expr old = at(f, o.arguments(), o);
  // A choice, not an operator: a half stays a half.
  at(f, o.arguments(), o) = cast(type, is_minimum ? min(old, o.value) : max(old, o.value));
  return at(f, o.call, o);
}
Tuple extreme_place_of(const Operand& o, const Func& f, bool is_minimum) {
  const Type type = o.value.type();
  const std::size_t rank = o.domain->variables.size();
  std::vector<Expr> initial(rank, Expr(0));
  initial.push_back(is_minimum ? largest(type) : smallest(type));
  at(f, o.arguments(), o) = Tuple(initial);
  const Tuple old(at(f, o.arguments(), o));
  const Expr is_better = is_minimum ? o.value < old[rank] : o.value > old[rank];
  std::vector<Expr> updated;
  for (std::size_t d = 0; d < rank; ++d) {
    updated.push_back(
        select(is_better, Expr(RVar(o.domain->variables[d].symbol, o.domain)), old[d]));
  }
  updated.push_back(select(is_better, o.value, old[rank]));
  at(f, o.arguments(), o) = Tuple(updated);
  return Tuple(at(f, o.call, o));
}

/// The reduction of `e`; of its refusals, `e`'s line is the line.
template <typename Reduce>
auto reduced(const char* what, const RDom* r, const LocatedExpr& e, Reduce&& reduce) {
  return typing::located(e.where, [&] { return reduce(operand_of(e, r, what)); });
}

}  // namespace

Expr sum(const LocatedExpr& e, const std::string& name) { return sum(e, Func(name)); }
Expr sum(const LocatedExpr& e, const Func& f) {
  return reduced("sum", nullptr, e, [&](const Operand& o) { return sum_of(o, f); });
}
Expr sum(const RDom& r, const LocatedExpr& e, const std::string& name) {
  return sum(r, e, Func(name));
}
Expr sum(const RDom& r, const LocatedExpr& e, const Func& f) {
  return reduced("sum", &r, e, [&](const Operand& o) { return sum_of(o, f); });
}

Expr product(const LocatedExpr& e, const std::string& name) { return product(e, Func(name)); }
Expr product(const LocatedExpr& e, const Func& f) {
  return reduced("product", nullptr, e, [&](const Operand& o) { return product_of(o, f); });
}
Expr product(const RDom& r, const LocatedExpr& e, const std::string& name) {
  return product(r, e, Func(name));
}
Expr product(const RDom& r, const LocatedExpr& e, const Func& f) {
  return reduced("product", &r, e, [&](const Operand& o) { return product_of(o, f); });
}

Expr minimum(const LocatedExpr& e, const std::string& name) { return minimum(e, Func(name)); }
Expr minimum(const LocatedExpr& e, const Func& f) {
  return reduced("minimum", nullptr, e, [&](const Operand& o) { return extreme_of(o, f, true); });
}
Expr minimum(const RDom& r, const LocatedExpr& e, const std::string& name) {
  return minimum(r, e, Func(name));
}
Expr minimum(const RDom& r, const LocatedExpr& e, const Func& f) {
  return reduced("minimum", &r, e, [&](const Operand& o) { return extreme_of(o, f, true); });
}

Expr maximum(const LocatedExpr& e, const std::string& name) { return maximum(e, Func(name)); }
Expr maximum(const LocatedExpr& e, const Func& f) {
  return reduced("maximum", nullptr, e, [&](const Operand& o) { return extreme_of(o, f, false); });
}
Expr maximum(const RDom& r, const LocatedExpr& e, const std::string& name) {
  return maximum(r, e, Func(name));
}
Expr maximum(const RDom& r, const LocatedExpr& e, const Func& f) {
  return reduced("maximum", &r, e, [&](const Operand& o) { return extreme_of(o, f, false); });
}

Tuple argmin(const LocatedExpr& e, const std::string& name) { return argmin(e, Func(name)); }
Tuple argmin(const LocatedExpr& e, const Func& f) {
  return reduced("argmin", nullptr, e,
                 [&](const Operand& o) { return extreme_place_of(o, f, true); });
}
Tuple argmin(const RDom& r, const LocatedExpr& e, const std::string& name) {
  return argmin(r, e, Func(name));
}
Tuple argmin(const RDom& r, const LocatedExpr& e, const Func& f) {
  return reduced("argmin", &r, e, [&](const Operand& o) { return extreme_place_of(o, f, true); });
}

Tuple argmax(const LocatedExpr& e, const std::string& name) { return argmax(e, Func(name)); }
Tuple argmax(const LocatedExpr& e, const Func& f) {
  return reduced("argmax", nullptr, e,
                 [&](const Operand& o) { return extreme_place_of(o, f, false); });
}
Tuple argmax(const RDom& r, const LocatedExpr& e, const std::string& name) {
  return argmax(r, e, Func(name));
}
Tuple argmax(const RDom& r, const LocatedExpr& e, const Func& f) {
  return reduced("argmax", &r, e, [&](const Operand& o) { return extreme_place_of(o, f, false); });
}

}  // namespace sinter
