#pragma once
// The text form of a schedule: lines of C++, one directive each, e.g.
//   blur_y.split(x, xo, xi, 8, TailStrategy::GuardWithIf);
//   hist.update(0).atomic();
//   f.specialize(width >= 8).vectorize(x, 8);
// parse_schedule reads what to_string writes; Expr arguments are in the IR's text form.

#include <string>
#include <unordered_map>

#include "dsl/schedule/directive.h"

namespace sinter::schedule {

/// Names of loop variables, unique within each stage. Made the same way by printer and parser.
class VariableNames {
 public:
  /// The variables of a stage's definitions take their names first.
  explicit VariableNames(const Algorithm&);
  void add_stage(const StageDefinition&);
  /// A stage made by a directive on `source` starts with the names of that one.
  void copy_stage(const Symbol& source, const Symbol& made);
  /// Name of `variable` in the directives of `stage`; given now if it has none yet.
  std::string name_of(const Symbol& stage, const Symbol& variable);
  /// The variable called so; made now if there is none.
  Symbol variable_named(const Symbol& stage, const std::string& name);

 private:
  struct Table {
    std::unordered_map<Symbol, std::string> names;
    std::unordered_map<std::string, Symbol> symbols;
  };
  std::unordered_map<Symbol, Table> tables_;
};

std::string to_string(const Schedule&, const Algorithm&);
/// Throws ScheduleError with line, column and the offending text.
Schedule parse_schedule(const std::string& text, const Algorithm&, const std::string& filename);

}  // namespace sinter::schedule
