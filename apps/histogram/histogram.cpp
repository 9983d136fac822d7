// Histogram equalisation of an RGB picture: the luminance's histogram, its running sum, and a
// look-up of every pixel in it. Counting and the running sum are updates over reduction domains.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct Histogram {
  BOOST_HANA_DEFINE_STRUCT(Histogram, (Input<std::uint8_t, 3>, in), (Output<std::uint8_t, 3>, out));

  static PipelineInfo info() {
    return {
        .name = "histogram",
        .description = "histogram equalisation of an RGB picture, 8-bit samples",
        .schedules = {"none", "root", "simple", "tuned"},
        .default_sizes = [](const Target&) { return Sizes{{"width", 1536}, {"height", 2560}}; }};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t width = sizes.at("width"), height = sizes.at("height");
    return {{"in", {width, height, 3}}, {"out", {width, height, 3}}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations = 27.0 * double(sizes.at("width")) * double(sizes.at("height"))};
  }

  Var x{"x"}, y{"y"}, c{"c"}, i{"i"};
  RDom column, row;
  Func luminance{"luminance"}, rows{"rows"}, counts{"counts"}, running{"running"}, equal{"equal"};

  void algorithm() {
    const Expr red = f32(in(x, y, 0)), green = f32(in(x, y, 1)), blue = f32(in(x, y, 2));
    luminance(x, y) = u8(0.299f * red + 0.587f * green + 0.114f * blue + 0.5f);

    // A histogram of each row, so that rows can be counted in parallel, then their sum.
    column = RDom(0, in.width(), "column");
    rows(i, y) = u32(0);
    rows(i32(luminance(column, y)), y) += u32(1);
    row = RDom(0, in.height(), "row");
    counts(i) = u32(0);
    counts(i) += rows(i, row);

    RDom level(1, 255, "level");
    running(i) = u32(0);
    running(0) = counts(0);
    running(level) = running(level - 1) + counts(level);

    const Expr pixels = f32(in.width()) * f32(in.height());
    equal(i) = u8_sat(f32(running(i)) * 255.0f / pixels + 0.5f);

    // Equal steps of all channels keep the hue.
    const Expr before = i16(luminance(x, y));
    const Expr after = i16(equal(i32(luminance(x, y))));
    out(x, y, c) = u8_sat(i16(in(x, y, c)) + (after - before));
  }

  void schedule(const std::string& name, const Target& target) {
    // Counting is per row and running sums per level: inlining them would repeat them per pixel.
    for (Func* stage : {&rows, &counts, &running, &equal}) stage->compute_root();
    if (name == "none") return;
    luminance.compute_root();
    if (name == "root") return;
    const int vector = target.natural_vector_size(32);
    if (target.is_gpu()) {
      Var xi{"xi"}, yi{"yi"}, xv{"xv"}, ii{"ii"}, io{"io"};
      RVar columns{"columns"}, lane{"lane"}, rowo{"rowo"}, rowi{"rowi"};
      luminance.compute_inline();
      // A block counts a row in its shared memory.
      Func counted = rows.in(counts);
      counted.compute_root().gpu_blocks(y).gpu_threads(i);
      rows.compute_at(counted, y).store_in(MemoryType::GPUShared).gpu_threads(i);
      rows.update().atomic().split(column, columns, lane, 256);
      rows.update().reorder(columns, lane, y).gpu_threads(lane);
      counts.split(i, io, ii, 256).gpu_blocks(io).gpu_threads(ii);
      counts.update().atomic().split(row, rowo, rowi, 16).split(i, io, ii, 256);
      counts.update().reorder(rowi, ii, io, rowo).gpu_blocks(io, rowo).gpu_threads(ii);
      // The steps of the running sum wait for shared memory, not for the device's.
      equal.split(i, io, ii, 256).gpu_blocks(io).gpu_threads(ii);
      running.compute_at(equal, io).store_in(MemoryType::GPUShared).gpu_threads(i);
      out.bound(c, 0, 3).split(x, x, xv, 8).vectorize(xv).reorder(xv, c, x, y).unroll(c);
      out.gpu_tile(x, y, xi, yi, 32, 4);
    } else if (name == "simple") {
      luminance.vectorize(x, vector).parallel(y);
      out.vectorize(x, vector).parallel(y);
    } else if (name == "tuned") {
      Var yo{"yo"}, yi{"yi"};
      luminance.split(y, yo, yi, 32).parallel(yo).vectorize(x, vector);
      rows.vectorize(i, vector).parallel(y).update().parallel(y);
      counts.vectorize(i, vector).update().vectorize(i, vector);
      out.split(y, yo, yi, 32).reorder(x, c, yi, yo).parallel(yo).vectorize(x, vector);
    }
  }
};

}  // namespace

void register_histogram(Registry& registry) { registry.add<Histogram>(); }

}  // namespace sinter::apps
