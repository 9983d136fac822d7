#pragma once
// The checks that a call makes before it computes: buffers cover what is read of them, bounds given
// in the schedule cover what is needed, coordinates stay within int32.

#include <source_location>
#include <string>
#include <vector>

#include "dsl/ir/module.h"
#include "dsl/lowering/bounds/regions.h"

namespace sinter::lowering {

/// Asserts needed within given: "<subject> <verb> in [a, b], but <given text> [c, d]".
ir::Stmt bounds_check(const std::string& subject, const std::string& verb,
                      const algebra::Interval& needed, const std::string& given_text,
                      const algebra::Interval& given, const std::string& remedy);

/// Asserts that an input covers `read`; `chain` names who reads it, `reader` is the definition that
/// does. Throws CompileError when the read region has no finite bound.
void append_input_checks(const ir::Argument& input, const Box& read, const std::string& chain,
                         const std::source_location& reader, std::vector<ir::Stmt>& checks);

/// Asserts that the coordinates at which a stage is computed stay within int32.
void append_coordinate_check(const std::string& stage, const Box& box,
                             std::vector<ir::Stmt>& checks);

/// Puts the checks that need no region first: extents are not negative, outputs' coordinates and
/// strides fit. And lets a call with an empty output return at once.
ir::Module insert_entry_checks(ir::Module, const struct LowerOptions&);

}  // namespace sinter::lowering
