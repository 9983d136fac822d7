#pragma once
// A fast evaluator of one expression over many arguments at a time: the expression of scalars is
// flattened once, each node then runs over a block of values. No memory, no coordinates. For
// checking functions on all their arguments and for the interpreter's mathematics; scalar.h is the
// reference.

#include <cstdint>
#include <memory>
#include <vector>

#include "dsl/ir/node.h"

namespace sinter::ir {

class Batch {
 public:
  static constexpr std::size_t Block = 1024;

  /// `inputs`: the symbols that `e` may mention. Types: bool, i32, u32, i64, u64, f32, f64.
  Batch(const Expr& e, const std::vector<Symbol>& inputs);
  ~Batch();
  Batch(const Batch& other);
  Batch(Batch&&) noexcept;

  /// Values of input i are at inputs[i], `count` <= Block of them (bool: one byte each); the
  /// results go to `output`. Not to be called from two threads at once: copy the Batch.
  void run(const void* const* inputs, void* output, std::size_t count);

 private:
  struct Step;
  struct Program;
  std::shared_ptr<const Program> program_;
  std::vector<std::uint64_t> registers_;
};

}  // namespace sinter::ir
