#pragma once
// The smallest typed pipeline, for the tests beside this file.

#include <sinter/signature.h>

namespace sinter::tests {

struct Brighten {
  BOOST_HANA_DEFINE_STRUCT(Brighten, (Input<float, 2>, in), (Parameter<float>, by),
                           (Output<float, 2>, out));

  static PipelineInfo info() {
    return {.name = "brighten",
            .description = "multiplies every sample",
            .schedules = {"none"},
            .default_sizes = [](const Target&) { return Sizes{{"width", 40}, {"height", 30}}; },
            .parameters = {{"by", 2.0}}};
  }
  static Extents extents(const Sizes& sizes) {
    const std::vector<std::int64_t> box = {sizes.at("width"), sizes.at("height")};
    return {{"in", box}, {"out", box}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations = double(sizes.at("width") * sizes.at("height"))};
  }

  Var x{"x"}, y{"y"};
  void algorithm() { out(x, y) = in(x, y) * by; }
  void schedule(const std::string&, const Target&) {}
};

}  // namespace sinter::tests
