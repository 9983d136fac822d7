// A convolution layer: 3x3 filters over all input channels, bias, ReLU. Channels are dense (NHWC);
// `in` is two pixels larger than `out`.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct Conv2d {
  BOOST_HANA_DEFINE_STRUCT(Conv2d, (Input<float, 4>, in), (Input<float, 4>, filter),
                           (Input<float, 1>, bias), (Output<float, 4>, out));

  static PipelineInfo info() {
    return {.name = "conv2d",
            .description = "3x3 convolution layer with bias and ReLU, f32, NHWC",
            .schedules = {"none", "root", "simple", "tuned"},
            .default_sizes = [](const Target&) {
              return Sizes{
                  {"batch", 5}, {"inputs", 128}, {"outputs", 128}, {"width", 100}, {"height", 80}};
            }};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t batch = sizes.at("batch"), inputs = sizes.at("inputs"),
                       outputs = sizes.at("outputs");
    const std::int64_t width = sizes.at("width"), height = sizes.at("height");
    return {{"in", {inputs, width + 2, height + 2, batch}},
            {"filter", {outputs, 3, 3, inputs}},
            {"bias", {outputs}},
            {"out", {outputs, width, height, batch}}};
  }
  static Work work(const Sizes& sizes) {
    double operations = 2.0 * 9.0;
    for (const auto& [name, value] : sizes) operations *= double(value);
    return {.operations = operations};
  }

  Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
  RDom r;
  Func sum{"sum"};

  void algorithm() {
    r = RDom(0, in.dim(0).extent(), 0, 3, 0, 3, "r");
    sum(c, x, y, n) = bias(c);
    sum(c, x, y, n) += filter(c, r.y, r.z, r.x) * in(r.x, x + r.y, y + r.z, n);
    out(c, x, y, n) = max(sum(c, x, y, n), 0.0f);
  }

  void schedule(const std::string& name, const Target& target) {
    if (name == "none" || name == "root") {
      sum.compute_root();
      return;
    }
    const int vector = target.natural_vector_size(32);
    if (name == "simple") {
      sum.compute_at(out, y).vectorize(c, vector);
      sum.update().reorder(c, x, r.x, r.y, r.z, y, n).vectorize(c, vector);
      out.vectorize(c, vector).parallel(y);
    } else if (target.is_gpu()) {
      Var ci{"ci"}, xi{"xi"};
      out.gpu_tile(c, x, ci, xi, 32, 4).gpu_blocks(c, x, y);
      sum.compute_at(out, ci);
    } else if (name == "tuned") {
      // A tile of `vectors` vectors of channels x `pixels` pixels stays in registers over the whole
      // reduction: 10 of 16 registers with AVX2, 20 of 32 with AVX-512. Six pixels leave
      // too few for the operands.
      const int vectors = vector >= 16 ? 4 : 2;
      const int pixels = 5;
      Var co{"co"}, ci{"ci"}, xo{"xo"}, xi{"xi"};
      out.split(c, co, ci, vector * vectors)
          .split(x, xo, xi, pixels)
          .reorder(ci, xi, xo, y, n, co)
          .vectorize(ci, vector)
          .unroll(ci)
          .unroll(xi)
          .parallel(y)
          .parallel(n)
          .parallel(co);
      sum.compute_at(out, xo).vectorize(c, vector).unroll(c).unroll(x);
      sum.update()
          .reorder(c, x, r.x, r.y, r.z, y, n)
          .vectorize(c, vector)
          .unroll(c)
          .unroll(x)
          .unroll(r.x, 2);
    }
  }
};

}  // namespace

void register_conv2d(Registry& registry) { registry.add<Conv2d>(); }

}  // namespace sinter::apps
