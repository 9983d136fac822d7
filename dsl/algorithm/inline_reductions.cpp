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

  std::vector<Expr> arguments() const { return {variables.begin(), variables.end()}; }
};

void check_value(const Expr& e, const char* what) { typing::require_defined(e, what); }

Operand operand_of(const Expr& e, std::shared_ptr<const DomainContents> domain, const char* what) {
  check_value(e, what);
  const bool is_domain_given = domain != nullptr;
  Operand operand;
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

Operand operand_of(const RDom& r, const Expr& e, const char* what) {
  if (!r.defined()) {
    typing::refuse(what, "the RDom has no dimensions", "construct it with (min, extent) pairs");
  }
  return operand_of(e, r.contents(), what);
}

Expr smallest(Type type) {
  if (type.is_float()) return ir::real_literal(type, -std::numeric_limits<double>::infinity());
  return ir::literal(type, type.min_int());
}
Expr largest(Type type) {
  if (type.is_float()) return ir::real_literal(type, std::numeric_limits<double>::infinity());
  return ir::literal(type, type.is_uint() && type.bits == 64 ? -1 : type.max_int());
}

Expr sum_of(const Operand& o, const Func& f) {
  f(o.arguments()) += o.value;
  return f(o.call);
}
Expr product_of(const Operand& o, const Func& f) {
  f(o.arguments()) *= o.value;
  return f(o.call);
}
Expr extreme_of(const Operand& o, const Func& f, bool is_minimum) {
  const Type type = o.value.type();
  f(o.arguments()) = is_minimum ? largest(type) : smallest(type);
  const Expr old = f(o.arguments());
  // A choice, not an operator: a half stays a half.
  f(o.arguments()) = cast(type, is_minimum ? min(old, o.value) : max(old, o.value));
  return f(o.call);
}
Tuple extreme_place_of(const Operand& o, const Func& f, bool is_minimum) {
  const Type type = o.value.type();
  const std::size_t rank = o.domain->variables.size();
  std::vector<Expr> initial(rank, Expr(0));
  initial.push_back(is_minimum ? largest(type) : smallest(type));
  f(o.arguments()) = Tuple(initial);
  const Tuple old(f(o.arguments()));
  const Expr is_better = is_minimum ? o.value < old[rank] : o.value > old[rank];
  std::vector<Expr> updated;
  for (std::size_t d = 0; d < rank; ++d) {
    updated.push_back(
        select(is_better, Expr(RVar(o.domain->variables[d].symbol, o.domain)), old[d]));
  }
  updated.push_back(select(is_better, o.value, old[rank]));
  f(o.arguments()) = Tuple(updated);
  return Tuple(f(o.call));
}

}  // namespace

Expr sum(const Expr& e, const std::string& name) { return sum(e, Func(name)); }
Expr sum(const Expr& e, const Func& f) { return sum_of(operand_of(e, nullptr, "sum"), f); }
Expr sum(const RDom& r, const Expr& e, const std::string& name) { return sum(r, e, Func(name)); }
Expr sum(const RDom& r, const Expr& e, const Func& f) { return sum_of(operand_of(r, e, "sum"), f); }

Expr product(const Expr& e, const std::string& name) { return product(e, Func(name)); }
Expr product(const Expr& e, const Func& f) {
  return product_of(operand_of(e, nullptr, "product"), f);
}
Expr product(const RDom& r, const Expr& e, const std::string& name) {
  return product(r, e, Func(name));
}
Expr product(const RDom& r, const Expr& e, const Func& f) {
  return product_of(operand_of(r, e, "product"), f);
}

Expr minimum(const Expr& e, const std::string& name) { return minimum(e, Func(name)); }
Expr minimum(const Expr& e, const Func& f) {
  return extreme_of(operand_of(e, nullptr, "minimum"), f, true);
}
Expr minimum(const RDom& r, const Expr& e, const std::string& name) {
  return minimum(r, e, Func(name));
}
Expr minimum(const RDom& r, const Expr& e, const Func& f) {
  return extreme_of(operand_of(r, e, "minimum"), f, true);
}

Expr maximum(const Expr& e, const std::string& name) { return maximum(e, Func(name)); }
Expr maximum(const Expr& e, const Func& f) {
  return extreme_of(operand_of(e, nullptr, "maximum"), f, false);
}
Expr maximum(const RDom& r, const Expr& e, const std::string& name) {
  return maximum(r, e, Func(name));
}
Expr maximum(const RDom& r, const Expr& e, const Func& f) {
  return extreme_of(operand_of(r, e, "maximum"), f, false);
}

Tuple argmin(const Expr& e, const std::string& name) { return argmin(e, Func(name)); }
Tuple argmin(const Expr& e, const Func& f) {
  return extreme_place_of(operand_of(e, nullptr, "argmin"), f, true);
}
Tuple argmin(const RDom& r, const Expr& e, const std::string& name) {
  return argmin(r, e, Func(name));
}
Tuple argmin(const RDom& r, const Expr& e, const Func& f) {
  return extreme_place_of(operand_of(r, e, "argmin"), f, true);
}

Tuple argmax(const Expr& e, const std::string& name) { return argmax(e, Func(name)); }
Tuple argmax(const Expr& e, const Func& f) {
  return extreme_place_of(operand_of(e, nullptr, "argmax"), f, false);
}
Tuple argmax(const RDom& r, const Expr& e, const std::string& name) {
  return argmax(r, e, Func(name));
}
Tuple argmax(const RDom& r, const Expr& e, const Func& f) {
  return extreme_place_of(operand_of(r, e, "argmax"), f, false);
}

}  // namespace sinter
