// A pipeline of a user: built with the public headers alone, linked to nothing, loaded by --load.

#include <sinter/inline_reductions.h>
#include <sinter/registry.h>
#include <sinter/signature.h>

namespace {

using namespace sinter;

struct Mine {
  BOOST_HANA_DEFINE_STRUCT(Mine, (Input<std::uint8_t, 2>, in), (Parameter<float>, gain),
                           (Output<float, 2>, out));

  static PipelineInfo info() {
    return {.name = "mine",
            .description = "scaled sum of three neighbours",
            .schedules = {"none", "fast"},
            .default_sizes = [](const Target&) { return Sizes{{"width", 64}, {"height", 16}}; },
            .parameters = {{"gain", 2.0}}};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t width = sizes.at("width"), height = sizes.at("height");
    return {{"in", {width, height}}, {"out", {width, height}}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations = 4.0 * double(sizes.at("width")) * double(sizes.at("height"))};
  }

  Var x{"x"}, y{"y"};
  Func edge;

  void algorithm() {
    RDom r(-1, 3, "r");
    edge = BoundaryConditions::repeat_edge(in);
    out(x, y) = gain * sum(f32(edge(x + r, y))) + hypot(f32(edge(x, y)), 1.0f);
  }
  void schedule(const std::string& name, const Target& target) {
    if (name == "fast") out.vectorize(x, target.natural_vector_size(32)).parallel(y);
  }
};

}  // namespace

extern "C" void sinter_register(sinter::Registry& registry) { registry.add<Mine>(); }
