#include "dsl/algorithm/define.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/algorithm/elaborate.h"
#include "dsl/algorithm/images.h"
#include "dsl/algorithm/typing.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

using ir::Op;

std::string definition_name(const FuncContents& contents, std::size_t index) {
  return index == 0 ? contents.definition.name
                    : contents.definition.name + ".update(" + std::to_string(index - 1) + ")";
}

namespace {

constexpr const char* Placeholder = "_";

/// A Var of the front end.
bool is_variable(const ir::Node& n) {
  return n.op == Op::Symbol && n.type == Int(32) && entity_of(n) == nullptr;
}
bool is_placeholder(const Expr& e) {
  return e.defined() && is_variable(*e) && e->symbol == Symbol::named(Placeholder);
}
Expr implicit_variable(std::size_t i) { return Expr(Var(Placeholder + std::to_string(i))); }

/// How many implicit variables the expressions mention: one more than the largest.
std::size_t count_implicit(const std::vector<Expr>& values) {
  std::size_t count = 0;
  for (const Expr& v : values) {
    if (!v.defined()) continue;
    ir::for_each_node(v.node(), [&](const ir::Ref& n) {
      if (is_variable(*n) && !n->symbol.is_fresh()) {
        const std::string& name = n->symbol.name();
        const bool is_implicit =
            name.size() > 1 && name[0] == '_' &&
            std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (is_implicit)
          count = std::max(count, static_cast<std::size_t>(std::stoul(name.substr(1))) + 1);
      }
      return true;
    });
  }
  return count;
}

/// The making of one definition; a struct so that its steps share what they know.
struct Definer {
  const std::shared_ptr<FuncContents>& contents;
  std::vector<Expr> arguments;
  std::vector<Expr> values;
  std::source_location where;

  bool is_update = contents->is_defined();
  std::string name = definition_name(*contents, contents->definition.definitions.size());
  std::vector<Symbol> pure{};  // per dimension: the Var, or empty
  std::shared_ptr<const DomainContents> domain = nullptr;
  Elaborator elaborator{};
  Definition result{};

  [[noreturn]] void refuse(const std::string& reason, const std::string& remedy) const {
    throw AlgorithmError(make_diagnostic(name, "definition", reason, remedy).at(where));
  }

  std::size_t known_rank(std::size_t otherwise) const {
    if (is_update) return contents->definition.rank();
    return contents->declared_rank >= 0 ? static_cast<std::size_t>(contents->declared_rank)
                                        : otherwise;
  }

  /// Every pass recurses as deep as expressions nest.
  void check_depth(const Expr& e) const {
    if (!e.defined() || e->depth <= ir::MaxDepth) return;
    refuse("an expression nests " + std::to_string(e->depth) + " operations deep; the limit is " +
               std::to_string(ir::MaxDepth),
           "give a part of it to a Func of its own, or write it as a reduction over an RDom");
  }

  void check_arguments() {
    for (const Expr& a : arguments) check_depth(a);
    for (const Expr& v : values) check_depth(v);
    if (contents->frozen) {
      refuse(
          "it has been used by another Func or a pipeline already, and a definition is frozen at "
          "its first use",
          "write all definitions of '" + contents->definition.name + "' before it is used");
    }
    if (has_placeholder(arguments)) {
      arguments =
          without_placeholder(arguments, known_rank(arguments.size() - 1 + count_implicit(values)));
    }
    const std::size_t rank = known_rank(arguments.size());
    if (arguments.size() != rank) {
      refuse("it has " + counted(rank, "dimension") + " and is defined with " +
                 counted(arguments.size(), "argument"),
             "give one argument per dimension");
    }
    if (values.empty()) refuse("the Tuple on the right has no components", "give it at least one");
    for (const Expr& v : values) {
      if (!v.defined()) refuse("a value is an undefined Expr", "give it a value");
    }
    check_coordinates(arguments, name);
  }

  void find_pure_variables() {
    for (std::size_t d = 0; d < arguments.size(); ++d) {
      const Expr& a = arguments[d];
      if (!is_update) {
        if (!is_variable(*a)) {
          refuse("argument " + std::to_string(d) + " is '" + to_string(a) +
                     "', and the first definition of a Func needs "
                     "plain Vars",
                 "define it for all of its domain first, then update it");
        }
        if (std::find(pure.begin(), pure.end(), a->symbol) != pure.end()) {
          refuse("the Var '" + a->symbol.name() + "' stands for two dimensions",
                 "use a Var for each dimension");
        }
      }
      const bool is_pure =
          is_variable(*a) && (!is_update || a->symbol == contents->definition.variables[d]);
      pure.push_back(is_pure ? a->symbol : Symbol());
    }
  }

  void find_domain() {
    for (const Expr& e : everything()) {
      ir::for_each_node(e.node(), [&](const ir::Ref& n) {
        if (!is_update && n->op == ir::Op::Access && n->symbol == contents->definition.id) {
          refuse("the first definition calls the Func itself",
                 "define a start for every element first, then write the rest as an update over an "
                 "RDom");
        }
        const auto found = entity_as<DomainContents>(*n, Entity::Kind::Domain);
        if (!found || found == domain) return true;
        if (!is_update) {
          refuse("the first definition mentions the reduction variable '" + n->symbol.name() + "'",
                 "define the Func with Vars only, then update it over the reduction domain");
        }
        if (domain) {
          refuse("it mentions two reduction domains, '" + domain->variables[0].symbol.name() +
                     "' and '" + n->symbol.name() + "'",
                 "use one RDom with all dimensions");
        }
        domain = found;
        return true;
      });
    }
  }

  std::vector<Expr> everything() const {
    std::vector<Expr> all = arguments;
    all.insert(all.end(), values.begin(), values.end());
    if (domain && domain->predicate.defined()) all.push_back(domain->predicate);
    return all;
  }

  void check_variables() const {
    for (const Expr& e : everything()) {
      ir::for_each_node(e.node(), [&](const ir::Ref& n) {
        if (is_variable(*n) && std::find(pure.begin(), pure.end(), n->symbol) == pure.end()) {
          if (!is_update) {
            refuse("the Var '" + n->symbol.name() + "' is not among its arguments",
                   "add it to the left side, or use a reduction variable");
          }
          refuse("the Var '" + n->symbol.name() + "' is not a pure variable of this update",
                 "in an update a Var must stand alone on the left side, in the place it has in the "
                 "first definition");
        }
        if (n->op == Op::Access && n->symbol == contents->definition.id) check_self_reference(*n);
        return true;
      });
    }
  }

  void check_self_reference(const ir::Node& access) const {
    if (!is_update) {
      refuse("its first definition calls itself",
             "define it with values that do not depend on it, then update it");
    }
    for (std::size_t d = 0; d < pure.size(); ++d) {
      if (!pure[d]) continue;
      const ir::Node& a = *access.args[d];
      if (is_variable(a) && a.symbol == pure[d]) continue;
      refuse("it reads itself at '" + to_string(Expr(access.args[d])) + "' in dimension " +
                 std::to_string(d) + ", where the left side has the Var '" + pure[d].name() + "'",
             "use the same Vars in the same places, or a reduction variable in that dimension");
    }
  }

  /// A value as it is stored: in the component's type, rounded once.
  Expr stored(const Expr& user, Type type, std::size_t component) {
    if (ir::is(user, Op::Undef)) {
      if (!is_update) return typing::constant(type, 0);  // unset may be anything
      std::vector<Expr> coordinates;
      for (const Expr& a : arguments) coordinates.push_back(elaborator.coordinate(a));
      return ir::access(type, contents->definition.id, coordinates, static_cast<int>(component));
    }
    const Type from = user.type();
    if (from != type && typing::is_adaptable(user)) return typing::adapt(type, user, "definition");
    const bool widens =
        from.is_bool()
            ? type.is_integer()
            : from.is_integer() && type.is_integer() && from.bits <= type.bits &&
                  (from.is_int() == type.is_int() || (from.is_uint() && from.bits < type.bits));
    const bool is_conversion =
        from == type || widens || (type.is_float() && (from.is_float() || from.is_integer()));
    if (!is_conversion) {
      refuse("its value is " + to_string(from) + ", and the Func is " + to_string(type),
             "cast the value: cast(" + to_string(type) + ", ...), or saturating_cast");
    }
    return contract(cast(type, elaborator.value(user)));
  }

  void make_values() {
    const std::vector<Type>& types = contents->types();
    if (!types.empty() && types.size() != values.size()) {
      refuse("it has " + counted(types.size(), "component") + " and is given " +
                 counted(values.size(), "value"),
             "give one value per component");
    }
    if (std::all_of(values.begin(), values.end(),
                    [](const Expr& v) { return ir::is(v, Op::Undef); })) {
      if (is_update) refuse("an update sets nothing", "leave the update out");
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.values.push_back(stored(values[i], types.empty() ? values[i].type() : types[i], i));
    }
  }

  void make_domain() {
    if (!domain) return;
    check_depth(domain->predicate);
    for (const DomainContents::Variable& v : domain->variables) {
      for (const Expr& bound : {v.min, v.extent}) {
        ir::for_each_node(bound.node(), [&](const ir::Ref& n) {
          if (n->op == Op::Access || is_variable(*n) ||
              entity_as<DomainContents>(*n, Entity::Kind::Domain)) {
            refuse("the bound '" + to_string(bound) + "' of the reduction variable '" +
                       v.symbol.name() + "' is not known before the pipeline runs",
                   "use Params, sizes of images and constants, and leave points out with where()");
          }
          return true;
        });
      }
      result.domain.push_back(
          {v.symbol, elaborator.coordinate(v.min), elaborator.coordinate(v.extent)});
    }
    if (domain->predicate.defined())
      result.predicate = contract(elaborator.condition(domain->predicate));
  }

  References references() const {
    References found = contents->references;
    for (const Expr& e : everything()) gather_references(e, found, contents.get());
    if (domain) {
      for (const DomainContents::Variable& v : domain->variables) {
        gather_references(v.min, found, contents.get());
        gather_references(v.extent, found, contents.get());
      }
    }
    for (const auto& func : found.funcs) {
      if (!func->is_defined()) {
        refuse("it calls '" + func->definition.name + "', which is declared but not defined",
               "define it first");
      }
      if (func->is_made) {
        refuse("it calls '" + func->definition.name + "', which a directive has made",
               "call the Func that the directive was written on");
      }
    }
    return found;
  }

  void run() {
    check_arguments();
    find_pure_variables();
    find_domain();
    find_domain();  // once more: the predicate is now known
    check_variables();
    for (const Expr& a : arguments)
      result.coordinates.push_back(contract(elaborator.coordinate(a)));
    make_values();
    make_domain();
    References found = references();
    result.where = where;
    // Nothing below can fail.
    StageDefinition& stage = contents->definition;
    if (!is_update) {
      stage.types = contents->declared_types;
      if (stage.types.empty()) {
        for (const Expr& v : values) stage.types.push_back(v.type());
      }
      stage.variables = pure;
    }
    for (const auto& func : found.funcs) func->frozen = true;
    contents->references = std::move(found);
    stage.definitions.push_back(std::move(result));
  }
};

}  // namespace

bool has_placeholder(const std::vector<Expr>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), is_placeholder);
}

std::vector<Expr> without_placeholder(const std::vector<Expr>& arguments, std::size_t rank) {
  std::vector<Expr> result;
  bool is_expanded = false;
  for (const Expr& a : arguments) {
    if (is_expanded || !is_placeholder(a)) {
      result.push_back(a);
      continue;
    }
    is_expanded = true;
    for (std::size_t i = 0; i + arguments.size() <= rank; ++i)
      result.push_back(implicit_variable(i));
  }
  return result;
}

int define(const std::shared_ptr<FuncContents>& contents, std::vector<Expr> arguments,
           std::vector<Expr> values, std::source_location where) {
  Definer definer{contents, std::move(arguments), std::move(values), where};
  typing::located(where, [&] { definer.run(); }, definer.name);
  return static_cast<int>(contents->definition.definitions.size()) - 1;
}

void define_initial(const std::shared_ptr<FuncContents>& contents,
                    const std::vector<Expr>& arguments, const std::vector<Type>& types, int initial,
                    std::source_location where) {
  if (contents->is_defined()) return;
  std::vector<Expr> variables;
  for (const Expr& a : arguments) {
    const bool is_repeated = std::any_of(variables.begin(), variables.end(), [&](const Expr& v) {
      return a.defined() && is_variable(*a) && v->symbol == a->symbol;
    });
    variables.push_back(a.defined() && is_variable(*a) && !is_repeated ? a : Expr(Var()));
  }
  std::vector<Expr> values;
  for (std::size_t i = 0; i < types.size(); ++i) {
    values.push_back(
        typing::constant(contents->types().size() > i ? contents->types()[i] : types[i], initial));
  }
  define(contents, variables, values, where);
}

Expr call(const std::shared_ptr<FuncContents>& contents, const std::vector<Expr>& arguments,
          std::size_t component, std::source_location where) {
  const StageDefinition& stage = contents->definition;
  const auto refuse = [&](const std::string& reason, const std::string& remedy) {
    throw AlgorithmError(make_diagnostic(stage.name, "call", reason, remedy).at(where));
  };
  if (contents->types().empty()) refuse("it is called before it is defined", "define it first");
  if (component >= contents->types().size()) {
    refuse("it has " + counted(contents->types().size(), "component") + ", and component " +
               std::to_string(component) + " is asked for",
           "use a component below that");
  }
  const std::size_t rank = contents->is_defined() ? stage.rank()
                           : contents->declared_rank >= 0
                               ? static_cast<std::size_t>(contents->declared_rank)
                               : arguments.size();
  const std::vector<Expr> expanded =
      has_placeholder(arguments) ? without_placeholder(arguments, rank) : arguments;
  if (expanded.size() != rank) {
    refuse("it has " + counted(rank, "dimension") + " and is called with " +
               counted(expanded.size(), "coordinate"),
           "give one coordinate per dimension");
  }
  ir::Node node;
  node.op = Op::Access;
  node.type = contents->types()[component];
  node.symbol = stage.id;
  node.integer = static_cast<std::int64_t>(component);
  typing::located(where, [&] { check_coordinates(expanded, stage.name); });
  for (const Expr& e : expanded) node.args.push_back(e.node());
  return with_entity(std::move(node), contents);
}

}  // namespace sinter
