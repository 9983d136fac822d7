#include "dsl/schedule/schedule_text.h"

namespace sinter::schedule {

VariableNames::VariableNames(const Algorithm& algorithm) {
  for (const StageDefinition& stage : algorithm.stages) add_stage(stage);
}

void VariableNames::add_stage(const StageDefinition& stage) {
  for (const Symbol& v : stage.variables) name_of(stage.id, v);
  for (const Definition& definition : stage.definitions) {
    for (const ReductionVariable& r : definition.domain) name_of(stage.id, r.symbol);
  }
}

void VariableNames::copy_stage(const Symbol& source, const Symbol& made) {
  Table copy = tables_[source];
  tables_.emplace(made, std::move(copy));
}

std::string VariableNames::name_of(const Symbol& stage, const Symbol& variable) {
  Table& table = tables_[stage];
  if (const auto it = table.names.find(variable); it != table.names.end()) return it->second;
  std::string name = variable.name();
  for (int i = 1; table.symbols.contains(name); ++i) {
    name = variable.name() + "_" + std::to_string(i);
  }
  table.names.emplace(variable, name);
  table.symbols.emplace(name, variable);
  return name;
}

Symbol VariableNames::variable_named(const Symbol& stage, const std::string& name) {
  Table& table = tables_[stage];
  if (const auto it = table.symbols.find(name); it != table.symbols.end()) return it->second;
  const Symbol symbol = Symbol::named(name);
  table.names.emplace(symbol, name);
  table.symbols.emplace(name, symbol);
  return symbol;
}

}  // namespace sinter::schedule
