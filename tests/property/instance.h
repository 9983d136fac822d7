#pragma once
// Instance: all that one trial needs, as data: an algorithm, the boxes of its outputs and images,
// its parameters and a schedule. Shrinking makes smaller Instances of it.

#include <map>
#include <string>
#include <vector>

#include "dsl/algorithm/algorithm.h"
#include "dsl/schedule/directive.h"

namespace sinter::test {

struct Extent {
  int min = 0, extent = 1;
};

struct Instance {
  Algorithm algorithm;
  std::vector<std::vector<Extent>> boxes;        // as algorithm.outputs
  std::map<Symbol, std::vector<Extent>> images;  // those of fixed size; the others get what is read
  std::map<Symbol, ir::Scalar> scalars;
  std::uint64_t data_seed = 0;  // of the images' elements
  schedule::Schedule schedule;
  bool gpu = false;  // runs on the emulated GPU, else on the host
};

/// Program, sizes, parameters and schedule as text.
std::string to_string(const Instance&);
/// Stages, images, scalars that no output needs are dropped.
void drop_unused(Instance&);
/// Directives of the instance that change the algorithm's arithmetic.
bool has_rewrites(const schedule::Schedule&);

}  // namespace sinter::test
