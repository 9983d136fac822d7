// A matrix with rows and columns exchanged.
//
// Rows of the input are dense, and so are rows of the output: whoever reads along the one writes
// across the other. A tile in between turns around: whole rows of the input come in, whole rows of
// the output go out, and the turn happens in the tile.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

template <typename T>
struct Transpose {
  BOOST_HANA_DEFINE_STRUCT(Transpose, (Input<T, 2>, x), (Output<T, 2>, out));

  static PipelineInfo info() {
    return {.name = sizeof(T) == 2 ? "transpose" : "transpose_f32",
            .description = sizeof(T) == 2 ? "a bf16 matrix, rows and columns exchanged"
                                          : "an f32 matrix, rows and columns exchanged",
            .schedules = {"none", "root", "simple", "tuned"},
            .default_sizes = [](const Target& target) {
              if (target.is_emulated()) return Sizes{{"columns", 256}, {"rows", 200}};
              return target.is_gpu() ? Sizes{{"columns", 8192}, {"rows", 16384}}
                                     : Sizes{{"columns", 2048}, {"rows", 4096}};
            }};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t columns = sizes.at("columns"), rows = sizes.at("rows");
    return {{"x", {columns, rows}}, {"out", {rows, columns}}};
  }
  static Work work(const Sizes&) { return {}; }

  Var i{"i"}, j{"j"};
  Func tile{"tile"};
  void algorithm() {
    tile(i, j) = x(i, j);  // a name for what is kept of the input
    out(i, j) = tile(j, i);
  }

  void schedule(const std::string& name, const Target& target) {
    Var io{"io"}, jo{"jo"}, ii{"ii"}, ji{"ji"}, v{"v"};
    if (name == "none") return;
    if (name == "root") {
      tile.compute_root();
      return;
    }
    const int vector = 16 / int(sizeof(T));
    if (name == "simple") {
      out.tile(i, j, io, jo, ii, ji, vector, vector).vectorize(ii).unroll(ji).parallel(jo);
    } else if (target.is_gpu()) {
      // Tiles of 256 bytes by as many rows on 512 threads. Each thread reads its vectors of 16
      // bytes one after the other, then gathers its vectors of the output from the tile.
      const int size = 256 / int(sizeof(T)), rows = 32;
      Var jt{"jt"}, ju{"ju"};
      out.tile(i, j, io, jo, ii, ji, size, size)
          .split(ii, ii, v, vector)
          .split(ji, ju, jt, rows)
          .reorder(v, ju, ii, jt, io, jo)
          .vectorize(v)
          .unroll(ju)
          .gpu_blocks(io, jo)
          .gpu_threads(ii, jt);
      tile.compute_at(out, io)
          .store_in(MemoryType::GPUShared)
          .split(i, i, v, vector)
          .split(j, ju, jt, rows)
          .reorder(v, ju, i, jt)
          .vectorize(v)
          .unroll(ju)
          .gpu_threads(i, jt);
    } else {
      const int size = 4 * vector;
      out.tile(i, j, io, jo, ii, ji, size, size).vectorize(ii, vector).parallel(jo);
      tile.compute_at(out, io).vectorize(i, vector);
    }
  }
};

}  // namespace

void register_transpose(Registry& registry) {
  registry.add<Transpose<bfloat16_t>>();
  registry.add<Transpose<float>>();
}

}  // namespace sinter::apps
