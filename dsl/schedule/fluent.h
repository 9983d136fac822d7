#pragma once
// The default schedule of a Func: what its fluent methods have written so far. Each method checks
// its directive at once against the loops of the Func, so that errors point at the user's line.

#include <cstdint>
#include <memory>
#include <vector>

#include <sinter/func.h>

#include "dsl/algorithm/func_contents.h"
#include "dsl/schedule/directive.h"

namespace sinter::schedule {

/// A Func and the stages that its own directives make (wrappers, partial reductions): their
/// entries, and the state of their loops after all of them.
struct Family {
  struct Numbered {
    std::uint64_t sequence;  // over all families: the order of writing
    Entry entry;
  };
  Symbol root;
  std::vector<Numbered> entries;
  State state;
};

/// Checks the directive, records it and changes the family's state. Throws ScheduleError.
void record(const std::shared_ptr<FuncContents>&, int definition, const std::vector<Expr>& branch,
            Directive, const std::source_location& where);
/// The number of the last directive written anywhere in this process; 0 when none was.
std::uint64_t latest_directive();
/// The number of the latest directive in the default schedules that schedule_of reads; 0: none.
std::uint64_t latest_directive(const std::vector<Func>& outputs);
/// The same of the constraints on the images that the outputs need.
std::uint64_t latest_constraint(const std::vector<Func>& outputs);
/// A constraint was written: what was compiled before does not know it.
void number_constraint(ImageContents&);
/// The directives of all Funcs that the outputs need, in the order they were written.
Schedule schedule_of(const std::vector<Func>& outputs);

}  // namespace sinter::schedule
