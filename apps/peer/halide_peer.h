#pragma once
// A peer written in Halide: several hand-written schedules of one algorithm; the one that is
// fastest on this machine is measured.

#include <functional>
#include <limits>
#include <vector>

#include <Halide.h>

#include "apps/peer/peer.h"

namespace peer {

/// A callable of one schedule: the pipeline, compiled.
using Candidates = std::vector<Halide::Pipeline>;

template <typename T>
Halide::Buffer<T> filled(int field, const std::vector<int>& extents, std::uint64_t largest = 0) {
  Halide::Buffer<T> buffer(extents);
  T* data = buffer.data();
  for (std::uint64_t i = 0; i < buffer.number_of_elements(); ++i) {
    if constexpr (std::is_floating_point_v<T>) data[i] = unit(field, i);
    else data[i] = T(whole(field, i, largest));
  }
  return buffer;
}

template <typename T>
class HalideProgram : public Program {
 public:
  /// Makes the candidates for these sizes, and the extents of the output.
  virtual Candidates candidates(const Sizes&) = 0;
  virtual std::vector<int> output_extents(const Sizes&) const = 0;

  void prepare(const Sizes& sizes) override {
    output_ = Halide::Buffer<T>(output_extents(sizes));
    Candidates all = candidates(sizes);
    double best = std::numeric_limits<double>::infinity();
    Halide::Pipeline winner;
    for (Halide::Pipeline& candidate : all) {
      candidate.compile_jit();
      pipeline_ = candidate;
      run();
      double fastest = std::numeric_limits<double>::infinity();
      for (int i = 0; i < 7; ++i) fastest = std::min(fastest, milliseconds_of(*this));
      if (fastest < best) {
        best = fastest;
        winner = candidate;
      }
    }
    pipeline_ = winner;
  }
  void run() override { pipeline_.realize(output_); }
  std::uint64_t count() const override { return output_.number_of_elements(); }
  double value(std::uint64_t index) override { return double(output_.data()[index]); }

 private:
  Halide::Pipeline pipeline_;
  Halide::Buffer<T> output_;
};

}  // namespace peer
