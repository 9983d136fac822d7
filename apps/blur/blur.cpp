// A separable 3x3 box blur of 16-bit samples, the classic first pipeline of a scheduling language.
// `in` is two samples larger than `out` in each direction. Sums are taken in 16 bits, so samples
// must not exceed 21845.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct Blur {
  BOOST_HANA_DEFINE_STRUCT(Blur, (Input<std::uint16_t, 2>, in), (Output<std::uint16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = "blur",
            .description = "separable 3x3 box blur, 16-bit samples",
            .schedules = {"none", "root", "simple", "tuned"},
            .default_sizes =
                [](const Target& target) {
                  return target.is_emulated() ? Sizes{{"width", 200}, {"height", 50}}
                                              : Sizes{{"width", 6144}, {"height", 4096}};
                },
            .largest_input = 4095};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t width = sizes.at("width"), height = sizes.at("height");
    return {{"in", {width + 2, height + 2}}, {"out", {width, height}}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations = 6.0 * double(sizes.at("width")) * double(sizes.at("height"))};
  }

  Var x{"x"}, y{"y"};
  Func blur_x{"blur_x"};

  void algorithm() {
    blur_x(x, y) = (in(x, y) + in(x + 1, y) + in(x + 2, y)) / 3;
    out(x, y) = (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3;
  }

  void schedule(const std::string& name, const Target& target) {
    const int vector = target.natural_vector_size(16);
    Var yo{"yo"}, yi{"yi"};
    if (name == "root") {
      blur_x.compute_root();
    } else if (name == "simple") {
      blur_x.compute_root().vectorize(x, vector).parallel(y);
      out.vectorize(x, vector).parallel(y);
    } else if (target.is_gpu()) {
      // A thread has two columns of sixteen rows, and computes the sums that they share once.
      Var xi{"xi"}, xv{"xv"}, yr{"yr"};
      out.split(x, x, xv, 2).vectorize(xv).split(y, y, yr, 16).unroll(yr).reorder(xv, yr, x, y);
      out.gpu_tile(x, y, xi, yi, 64, 2);
    } else if (name == "tuned") {
      // Strips of 32 rows in parallel; within a strip each vector of blur_x is computed once and
      // the last three rows of it are kept in registers' reach.
      out.split(y, yo, yi, 32).parallel(yo).vectorize(x, vector);
      blur_x.store_at(out, yo).compute_at(out, yi).vectorize(x, vector);
    }
  }
};

}  // namespace

void register_blur(Registry& registry) { registry.add<Blur>(); }

}  // namespace sinter::apps
