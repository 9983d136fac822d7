// Func, FuncRef, Stage, Tuple: handles on FuncContents. Directives live in dsl/schedule.

#include <sinter/func.h>

#include <algorithm>

#include "dsl/algorithm/define.h"
#include "dsl/algorithm/func_contents.h"
#include "dsl/algorithm/typing.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

namespace {

std::shared_ptr<FuncContents> new_contents(const std::string& name) {
  auto contents = std::make_shared<FuncContents>();
  contents->is_named = !name.empty();
  contents->definition.name = name.empty() ? "f" : name;
  contents->definition.id = Symbol::fresh(contents->definition.name);
  return contents;
}

std::vector<Expr> components(const FuncRef& ref) {
  std::vector<Expr> values;
  // An undefined Func has no component: calling it all the same is refused.
  for (std::size_t i = 0; i < std::max<std::size_t>(ref.size(), 1); ++i)
    values.push_back(call(ref.contents(), ref.arguments(), i, ref.where()));
  return values;
}

enum class Update { Add, Subtract, Multiply, Divide };

Expr combined(Update update, const Expr& old, const Expr& e) {
  switch (update) {
    case Update::Add:
      return old + e;
    case Update::Subtract:
      return old - e;
    case Update::Multiply:
      return old * e;
    case Update::Divide:
      return old / e;
  }
  throw InternalError("no such update");
}

/// f(args) op= values, component by component.
Stage update_with(Update update, const FuncRef& ref, const std::vector<Expr>& values) {
  const auto& contents = ref.contents();
  const auto is_undefined = [](const Expr& v) { return !v.defined(); };
  if (values.empty() || std::any_of(values.begin(), values.end(), is_undefined)) {
    return Stage(contents, define(contents, ref.arguments(), values, ref.where()));  // refuses them
  }
  std::vector<Type> types;
  for (const Expr& v : values) types.push_back(v.type());
  const bool is_sum = update == Update::Add || update == Update::Subtract;
  std::vector<Expr> arguments = ref.arguments();
  return typing::located(
      ref.where(),
      [&] {
        if (!contents->is_defined() && has_placeholder(arguments)) {
          typing::refuse("definition",
                         "'_' stands on the left side of an update of an undefined Func",
                         "define it first");
        }
        define_initial(contents, arguments, types, is_sum ? 0 : 1, ref.where());
        std::vector<Expr> combinations;
        for (std::size_t i = 0; i < values.size(); ++i) {
          combinations.push_back(
              combined(update, call(contents, arguments, i, ref.where()), values[i]));
        }
        return Stage(contents, define(contents, arguments, combinations, ref.where()));
      },
      contents->definition.name);
}

/// All components keep their value but one.
Stage define_component(const std::shared_ptr<FuncContents>& contents,
                       const std::vector<Expr>& arguments, std::size_t component, const Expr& value,
                       std::source_location where) {
  call(contents, arguments, component, where);  // refuses a component that is not there
  std::vector<Expr> values;
  for (std::size_t i = 0; i < contents->types().size(); ++i) {
    values.push_back(i == component ? value : call(contents, arguments, i, where));
  }
  return Stage(contents, define(contents, arguments, values, where));
}

}  // namespace

// --- Func

Func::Func() : contents_(new_contents("")) {}
Func::Func(const std::string& name) : contents_(new_contents(name)) {}
Func::Func(Type type, int dimensions, const std::string& name)
    : Func(std::vector<Type>{type}, dimensions, name) {}
Func::Func(const std::vector<Type>& types, int dimensions, const std::string& name)
    : contents_(new_contents(name)) {
  for (const Type& type : types) {
    if (type.is_void()) {
      throw AlgorithmError(make_diagnostic(name, "Func", "a declared type is void",
                                           "declare an element type, such as Float(32)"));
    }
  }
  contents_->declared_types = types;
  contents_->declared_rank = dimensions;
}
Func::Func(const Expr& e, Location where) : Func() { (*this)({Expr(_)}, where) = e; }

const std::string& Func::name() const { return contents_->definition.name; }
bool Func::defined() const { return contents_->is_defined(); }
int Func::dimensions() const {
  return defined() ? static_cast<int>(contents_->definition.rank())
                   : std::max(contents_->declared_rank, 0);
}
std::size_t Func::outputs() const { return contents_->types().size(); }

namespace {

void require(bool holds, const Func& f, const std::string& what, const std::string& reason,
             const std::string& remedy, std::source_location where) {
  if (!holds) throw AlgorithmError(make_diagnostic(f.name(), what, reason, remedy).at(where));
}

}  // namespace

Type Func::type(Location where) const {
  require(types(where).size() == 1, *this, "type()",
          "it has " + counted(outputs(), "component") + ", each with a type", "use types()", where);
  return contents_->types()[0];
}
const std::vector<Type>& Func::types(Location where) const {
  require(outputs() > 0, *this, "types()", "it is not defined", "define it first", where);
  return contents_->types();
}
std::vector<Var> Func::args(Location where) const {
  require(defined(), *this, "args()", "it is not defined", "define it first", where);
  std::vector<Var> vars;
  for (const Symbol& s : contents_->definition.variables) vars.emplace_back(s);
  return vars;
}
int Func::num_update_definitions() const {
  return defined() ? static_cast<int>(contents_->definition.definitions.size()) - 1 : 0;
}
std::vector<RVar> Func::rvars(int index, Location where) const {
  const int definition = update(index, where).definition_index();  // refuses one that is not there
  std::vector<RVar> result;
  for (const ReductionVariable& v :
       contents_->definition.definitions[static_cast<std::size_t>(definition)].domain) {
    result.emplace_back(v.symbol, nullptr);
  }
  return result;
}

Stage Func::update(int index, Location where) const {
  if (index < 0 || index >= num_update_definitions()) {
    throw AlgorithmError(
        make_diagnostic(name(), "update(" + std::to_string(index) + ")",
                        "the Func has " + counted(num_update_definitions(), "update definition"),
                        "use an index below that; the first update is update(0)")
            .at(where));
  }
  return Stage(contents_, index + 1);
}

std::string Stage::name() const {
  return definition_name(*contents_, static_cast<std::size_t>(definition_));
}

LoopLevel::LoopLevel(const Func& consumer, const VarOrRVar& loop, int definition)
    : kind_(Kind::Loop),
      consumer_(consumer.contents()->definition.id),
      loop_(loop.symbol),
      definition_(definition) {}

// --- FuncRef

Stage FuncRef::operator=(const Expr& e) const {
  return Stage(contents_, define(contents_, arguments_, {e}, where_));
}
Stage FuncRef::operator=(const Tuple& t) const {
  return Stage(contents_, define(contents_, arguments_, t.as_vector(), where_));
}
Stage FuncRef::operator=(const FuncRef& other) const {
  return Stage(contents_, define(contents_, arguments_, components(other), where_));
}
Stage FuncRef::operator+=(const Expr& e) const { return update_with(Update::Add, *this, {e}); }
Stage FuncRef::operator+=(const Tuple& t) const {
  return update_with(Update::Add, *this, t.as_vector());
}
Stage FuncRef::operator+=(const FuncRef& f) const {
  return update_with(Update::Add, *this, components(f));
}
Stage FuncRef::operator-=(const Expr& e) const { return update_with(Update::Subtract, *this, {e}); }
Stage FuncRef::operator-=(const Tuple& t) const {
  return update_with(Update::Subtract, *this, t.as_vector());
}
Stage FuncRef::operator-=(const FuncRef& f) const {
  return update_with(Update::Subtract, *this, components(f));
}
Stage FuncRef::operator*=(const Expr& e) const { return update_with(Update::Multiply, *this, {e}); }
Stage FuncRef::operator*=(const Tuple& t) const {
  return update_with(Update::Multiply, *this, t.as_vector());
}
Stage FuncRef::operator*=(const FuncRef& f) const {
  return update_with(Update::Multiply, *this, components(f));
}
Stage FuncRef::operator/=(const Expr& e) const { return update_with(Update::Divide, *this, {e}); }
Stage FuncRef::operator/=(const Tuple& t) const {
  return update_with(Update::Divide, *this, t.as_vector());
}
Stage FuncRef::operator/=(const FuncRef& f) const {
  return update_with(Update::Divide, *this, components(f));
}

FuncRef::operator Expr() const {
  if (size() > 1) {
    throw AlgorithmError(
        make_diagnostic(contents_->definition.name, "call",
                        "it has " + counted(size(), "component") + ", where one value is wanted",
                        "choose a component: f(x)[0]")
            .at(where_));
  }
  return call(contents_, arguments_, 0, where_);
}
std::size_t FuncRef::size() const { return contents_->types().size(); }

FuncTupleElementRef::FuncTupleElementRef(const FuncRef& ref, std::size_t component)
    : contents_(ref.contents()),
      arguments_(ref.arguments()),
      where_(ref.where()),
      component_(component) {}
FuncTupleElementRef::operator Expr() const {
  return call(contents_, arguments_, component_, where_);
}
Stage FuncTupleElementRef::operator=(const Expr& e) const {
  return define_component(contents_, arguments_, component_, e, where_);
}
Stage FuncTupleElementRef::operator=(const FuncTupleElementRef& e) const { return *this = Expr(e); }
Stage FuncTupleElementRef::operator+=(const Expr& e) const {
  return *this = LocatedExpr(*this, where_) + e;
}
Stage FuncTupleElementRef::operator-=(const Expr& e) const {
  return *this = LocatedExpr(*this, where_) - e;
}
Stage FuncTupleElementRef::operator*=(const Expr& e) const {
  return *this = LocatedExpr(*this, where_) * e;
}
Stage FuncTupleElementRef::operator/=(const Expr& e) const {
  return *this = LocatedExpr(*this, where_) / e;
}

// --- Tuple

Tuple::Tuple(const FuncRef& ref) : values_(components(ref)) {}

std::size_t Tuple::existing(std::size_t i) const {
  if (i < values_.size()) return i;
  throw AlgorithmError(make_diagnostic("", "Tuple[" + std::to_string(i) + "]",
                                       "it has " + counted(values_.size(), "component"),
                                       "use an index below that"));
}

Tuple select_tuple(const LocatedExpr& condition, const Tuple& if_true, const Tuple& if_false) {
  return typing::located(condition.where, [&] {
    if (if_true.size() != if_false.size()) {
      typing::refuse("select",
                     "the Tuples have " + std::to_string(if_true.size()) + " and " +
                         counted(if_false.size(), "component"),
                     "use Tuples of one size");
    }
    std::vector<Expr> values;
    for (std::size_t i = 0; i < if_true.size(); ++i)
      values.push_back(select(condition, if_true[i], if_false[i]));
    return Tuple(std::move(values));
  });
}

}  // namespace sinter
