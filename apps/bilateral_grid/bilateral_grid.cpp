// Edge-preserving smoothing by the bilateral grid (Chen, Paris, Durand 2007): pixels are counted
// into a coarse grid of place and brightness, the grid is blurred, and sampled again at each pixel.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct BilateralGrid {
  BOOST_HANA_DEFINE_STRUCT(BilateralGrid, (Input<float, 2>, in), (Output<float, 2>, out));

  static constexpr int Cell = 8;     // pixels of a grid cell, each way
  static constexpr int Levels = 10;  // cells of brightness

  static PipelineInfo info() {
    return {
        .name = "bilateral_grid",
        .description = "edge-preserving smoothing of a gray picture, f32",
        .schedules = {"none", "root", "simple", "tuned"},
        .default_sizes = [](const Target&) { return Sizes{{"width", 1536}, {"height", 2560}}; }};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t width = sizes.at("width"), height = sizes.at("height");
    return {{"in", {width, height}}, {"out", {width, height}}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations = 45.0 * double(sizes.at("width")) * double(sizes.at("height"))};
  }

  Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
  Func clamped{"clamped"}, grid{"grid"}, blur_z{"blur_z"}, blur_x{"blur_x"}, blur_y{"blur_y"},
      slice{"slice"};
  RDom r{0, Cell, 0, Cell, "r"};

  void algorithm() {
    clamped = BoundaryConditions::repeat_edge(in);
    const Expr value =
        clamp(clamped(x * Cell + r.x - Cell / 2, y * Cell + r.y - Cell / 2), 0.0f, 1.0f);
    const Expr level = clamp(i32(value * float(Levels) + 0.5f), 0, Levels);
    grid(x, y, z, c) = 0.0f;
    grid(x, y, level, c) += select(c == 0, value, 1.0f);  // sum of brightness, count

    // From here on a cell's levels and both sums lie side by side: what a pixel reads of it.
    blur_z(c, z, x, y) = five(grid(x, y, z - 2, c), grid(x, y, z - 1, c), grid(x, y, z, c),
                              grid(x, y, z + 1, c), grid(x, y, z + 2, c));
    blur_x(c, z, x, y) = five(blur_z(c, z, x - 2, y), blur_z(c, z, x - 1, y), blur_z(c, z, x, y),
                              blur_z(c, z, x + 1, y), blur_z(c, z, x + 2, y));
    blur_y(c, z, x, y) = five(blur_x(c, z, x, y - 2), blur_x(c, z, x, y - 1), blur_x(c, z, x, y),
                              blur_x(c, z, x, y + 1), blur_x(c, z, x, y + 2));

    // Trilinear interpolation between the eight cells around the pixel.
    const Expr brightness = clamp(in(x, y), 0.0f, 1.0f) * float(Levels);
    const Expr zi = clamp(i32(brightness), 0, Levels);
    const Expr zf = brightness - f32(zi);
    const Expr xf = f32(x % Cell) / float(Cell), yf = f32(y % Cell) / float(Cell);
    const Expr xi = x / Cell, yi = y / Cell;
    const auto along_x = [&](const Expr& row, const Expr& height) {
      return lerp(blur_y(c, height, xi, row), blur_y(c, height, xi + 1, row), xf);
    };
    slice(x, y, c) = lerp(lerp(along_x(yi, zi), along_x(yi + 1, zi), yf),
                          lerp(along_x(yi, zi + 1), along_x(yi + 1, zi + 1), yf), zf);
    out(x, y) = slice(x, y, 0) / slice(x, y, 1);
  }

  static Expr five(const Expr& a, const Expr& b, const Expr& middle, const Expr& d, const Expr& e) {
    return a + b * 4.0f + middle * 6.0f + d * 4.0f + e;
  }

  void schedule(const std::string& name, const Target& target) {
    for (Func* stage : {&grid, &blur_z, &blur_x, &blur_y}) stage->compute_root();
    if (name == "none") return;
    if (name == "root") {
      for (Func* stage : {&clamped, &slice}) stage->compute_root();
      return;
    }
    const int vector = target.natural_vector_size(32);
    Var cz{"cz"}, v{"v"};
    if (name == "simple") {
      grid.parallel(z).update().parallel(y);
      for (Func* stage : {&blur_z, &blur_x, &blur_y}) stage->parallel(y);
      out.vectorize(x, vector).parallel(y);
    } else if (target.is_gpu()) {
      Var xi{"xi"}, yi{"yi"}, yr{"yr"}, xc{"xc"};
      // A thread counts a cell. Neighbours in x lie side by side in shared memory, so that no two
      // threads meet in a bank whatever the levels are.
      blur_z.reorder(c, z, x, y).vectorize(c).unroll(z).gpu_tile(x, y, xi, yi, 16, 8);
      grid.compute_at(blur_z, x).store_in(MemoryType::GPUShared).reorder(c, z, x, y);
      grid.gpu_threads(x, y);
      grid.update().reorder(c, r.x, r.y, x, y).unroll(c).unroll(r.x).gpu_threads(x, y);
      // Eight rows of a thread share the sums along x, in registers.
      blur_x.compute_inline();
      blur_y.fuse(c, z, cz).split(cz, cz, v, 4).split(y, y, yr, 8).reorder(v, yr, cz, x, y);
      blur_y.vectorize(v).unroll(yr).split(x, x, xi, 32).gpu_blocks(x, y).gpu_threads(cz, xi);
      // A thread has four pixels of a column, eight lanes the columns of a cell: what they read
      // lies in a few lines.
      out.split(x, x, xi, Cell).split(x, x, xc, 4).split(y, y, yi, 16).split(yi, yi, yr, 4);
      out.unroll(yr).reorder(yr, xi, yi, xc, x, y).gpu_blocks(x, y).gpu_threads(xi, yi, xc);
      slice.compute_at(out, yr).vectorize(c);
    } else if (name == "tuned") {
      grid.compute_at(blur_z, y);
      grid.update().reorder(c, r.x, r.y, x, y).unroll(c);
      blur_z.reorder(c, z, x, y).parallel(y).vectorize(c).unroll(z);
      for (Func* stage : {&blur_x, &blur_y}) stage->fuse(c, z, cz).vectorize(cz, 8).parallel(y);
      out.parallel(y).vectorize(x, vector);
    }
    for (Func* stage : {&grid, &blur_z, &blur_y}) stage->bound(c, 0, 2);
  }
};

}  // namespace

void register_bilateral_grid(Registry& registry) { registry.add<BilateralGrid>(); }

}  // namespace sinter::apps
