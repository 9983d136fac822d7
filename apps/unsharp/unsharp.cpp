// Unsharp masking of an RGB picture: the luminance is blurred by a separable Gaussian of seven taps
// (sigma 1.5), the difference is amplified, and all channels follow the luminance.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct Unsharp {
  BOOST_HANA_DEFINE_STRUCT(Unsharp, (Input<float, 3>, in), (Parameter<float>, amount),
                           (Output<float, 3>, out));

  static PipelineInfo info() {
    return {.name = "unsharp",
            .description = "unsharp masking of an RGB picture, f32",
            .schedules = {"none", "root", "simple", "tuned"},
            .default_sizes = [](const Target&) { return Sizes{{"width", 1536}, {"height", 2560}}; },
            .parameters = {{"amount", 1.0}}};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t width = sizes.at("width"), height = sizes.at("height");
    return {{"in", {width, height, 3}}, {"out", {width, height, 3}}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations = 35.0 * double(sizes.at("width")) * double(sizes.at("height"))};
  }

  Var x{"x"}, y{"y"}, c{"c"};
  Func clamped{"clamped"}, gray{"gray"}, blur_y{"blur_y"}, blur_x{"blur_x"}, ratio{"ratio"};

  void algorithm() {
    // exp(-d * d / (2 * sigma^2)), normalised.
    const float weight[] = {0.27068286f, 0.21674448f, 0.11128109f, 0.03663300f};
    clamped = BoundaryConditions::repeat_edge(in);
    gray(x, y) = 0.299f * clamped(x, y, 0) + 0.587f * clamped(x, y, 1) + 0.114f * clamped(x, y, 2);
    Expr vertical = weight[0] * gray(x, y);
    for (int d = 1; d < 4; ++d) vertical = vertical + weight[d] * (gray(x, y - d) + gray(x, y + d));
    blur_y(x, y) = vertical;
    Expr horizontal = weight[0] * blur_y(x, y);
    for (int d = 1; d < 4; ++d)
      horizontal = horizontal + weight[d] * (blur_y(x - d, y) + blur_y(x + d, y));
    blur_x(x, y) = horizontal;
    const Expr sharp = gray(x, y) + amount * (gray(x, y) - blur_x(x, y));
    ratio(x, y) = sharp / max(gray(x, y), 1e-3f);
    out(x, y, c) = ratio(x, y) * in(x, y, c);
  }

  void schedule(const std::string& name, const Target& target) {
    const int vector = target.natural_vector_size(32);
    Var yo{"yo"}, yi{"yi"};
    if (name == "none") return;
    if (name == "root") {
      for (Func* stage : {&clamped, &gray, &blur_y, &blur_x, &ratio}) stage->compute_root();
    } else if (name == "simple") {
      for (Func* stage : {&gray, &blur_y, &ratio})
        stage->compute_root().vectorize(x, vector).parallel(y);
      out.vectorize(x, vector).parallel(y);
    } else if (target.is_gpu()) {
      // A thread has four pixels of all channels, which share the ratio in registers.
      Var xi{"xi"}, xv{"xv"};
      out.bound(c, 0, 3).tile(x, y, x, y, xi, yi, 64, 16).split(xi, xi, xv, 4).vectorize(xv);
      out.reorder(xv, c, xi, yi, x, y).unroll(c).gpu_blocks(x, y).gpu_threads(xi, yi);
      blur_y.compute_at(out, x).store_in(MemoryType::GPUShared);
      blur_y.tile(x, y, x, y, xi, yi, 16, 16).gpu_threads(xi, yi);
      gray.compute_root().split(x, x, xv, 4).vectorize(xv).gpu_tile(x, y, xi, yi, 32, 4);
    } else if (name == "tuned") {
      out.split(y, yo, yi, 32).reorder(x, c, yi, yo).vectorize(x, vector).parallel(yo);
      gray.store_at(out, yo).compute_at(out, yi).vectorize(x, vector);
      blur_y.compute_at(out, yi).vectorize(x, vector);
      ratio.compute_at(out, yi).vectorize(x, vector);
    }
  }
};

}  // namespace

void register_unsharp(Registry& registry) { registry.add<Unsharp>(); }

}  // namespace sinter::apps
