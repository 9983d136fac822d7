#pragma once
// Runs a pipeline every way there is below the backends, and compares bits: the oracle against the
// interpreter after each lowering pass.

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include <sinter/func.h>

#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/evaluate.h"
#include "dsl/lowering/passes.h"
#include "dsl/schedule/resolve.h"

namespace sinter::test {

struct Inputs {
  std::vector<std::pair<ImageParam, Buffer<>>> images;
};

inline std::string bytes_of(const Buffer<>& b) {
  return std::string(static_cast<const char*>(b.raw_data()), b.size_in_bytes());
}

/// Buffers for all outputs over [0, sizes).
inline std::vector<Buffer<>> make_outputs(const std::vector<Func>& outputs,
                                          const std::vector<int>& sizes, int min = 0) {
  std::vector<Buffer<>> result;
  for (const Func& f : outputs) {
    for (const Type t : f.types()) {
      Buffer<> b(t, sizes);
      std::memset(b.raw_data(), 0x5a, b.size_in_bytes());
      b.set_min(std::vector<int>(sizes.size(), min));
      result.push_back(b);
    }
  }
  return result;
}

inline ir::Arguments bind(const Algorithm& algorithm, const Inputs& inputs,
                          const std::vector<Buffer<>>& outputs) {
  ir::Arguments arguments;
  for (const auto& [param, buffer] : inputs.images)
    arguments.buffers[param.contents()->id] = view_of(buffer);
  std::size_t next = 0;
  for (const Symbol& id : algorithm.outputs) {
    const StageDefinition& stage = algorithm.stage(id);
    for (std::size_t c = 0; c < stage.types.size(); ++c) {
      arguments.buffers[output_symbol(stage, c)] = view_of(outputs.at(next++));
    }
  }
  return arguments;
}

inline bool has_kernel(const ir::Module& module) {
  bool found = false;
  ir::for_each_node(module.body.node(), [&](const ir::Ref& n) {
    found = found || n->op == ir::Op::Kernel;
    return !found;
  });
  return found;
}

/// Empty when all ways agree.
inline std::string compare_all(const schedule::ScheduledPipeline& scheduled,
                               const std::vector<Func>& outputs, const std::vector<int>& sizes,
                               const Inputs& inputs = {}, int min = 0) {
  const std::vector<Buffer<>> expected = make_outputs(outputs, sizes, min);
  evaluate(scheduled.algorithm, bind(scheduled.algorithm, inputs, expected));
  std::string problems;
  lowering::LowerOptions options;
  options.verify = true;
  options.after_pass = [&](const std::string& pass, const ir::Module& module) {
    if (!problems.empty() || has_kernel(module))
      return;  // kernels are run by the emulators (tests/gpu)
    const std::vector<Buffer<>> got = make_outputs(outputs, sizes, min);
    try {
      ir::interpret(module, bind(scheduled.algorithm, inputs, got), 7);
    } catch (const std::exception& e) {
      problems = "after " + pass + ": " + e.what() + "\n" + ir::print(module);
      return;
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (bytes_of(got[i]) != bytes_of(expected[i])) {
        problems =
            "after " + pass + " output " + std::to_string(i) + " differs\n" + ir::print(module);
        return;
      }
    }
  };
  lowering::lower(scheduled, options);
  return problems;
}

inline Buffer<> random_buffer(Type type, const std::vector<int>& sizes,
                              const std::vector<int>& mins, unsigned seed) {
  Buffer<> b(type, sizes);
  std::mt19937 random(seed);
  if (type == Float(32)) {
    float* p = static_cast<float*>(b.raw_data());
    for (std::size_t i = 0; i < b.number_of_elements(); ++i)
      p[i] = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 16.0f;
  } else {
    unsigned char* p = static_cast<unsigned char*>(b.raw_data());
    for (std::size_t i = 0; i < b.size_in_bytes(); ++i) p[i] = static_cast<unsigned char>(random());
  }
  b.set_min(mins);
  return b;
}

}  // namespace sinter::test
