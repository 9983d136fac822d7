#pragma once
// What a Func is a handle on: its elaborated definitions, the objects they mention, and a place for
// its default schedule.

#include <memory>
#include <mutex>

#include "dsl/algorithm/entities.h"

namespace sinter {

struct FuncContents : Entity {
  FuncContents() : Entity(Kind::Func) {}
  StageDefinition definition;        // name: as given, or "f"; made unique by collect()
  bool is_named = false;             // the user gave the name
  std::vector<Type> declared_types;  // empty: those of the first definition
  int declared_rank = -1;            // -1: that of the first definition
  References references;             // of all definitions; itself excluded
  std::shared_ptr<void> schedule;    // owned by the schedule's part
  std::shared_ptr<void>
      compiled;  // owned by the driver: what was compiled with this Func as the only output
  std::once_flag compiled_once;  // guards the making of it
  bool is_made = false;          // by a directive of another Func: to be scheduled, not called
  mutable bool frozen = false;   // used by another Func or a pipeline

  bool is_defined() const { return !definition.definitions.empty(); }
  /// Element types as far as they are known.
  const std::vector<Type>& types() const {
    return is_defined() ? definition.types : declared_types;
  }
};

/// "blur_x", "blur_x.update(0)": how diagnostics name definition `index`.
std::string definition_name(const FuncContents&, std::size_t index);

}  // namespace sinter
