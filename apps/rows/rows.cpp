// Operators that normalise the rows of a bf16 matrix: softmax, RMSNorm and LayerNorm, each with portable
// functions and with the GPU's approximations (the names that end in _fast).
//
// On a GPU a block takes a row. Its threads fold their elements in registers, lanes exchange through
// shuffles, warps through shared memory, and the row is read again from the cache for the result: one
// kernel, one pass over memory.

#include <limits>

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

constexpr int Vector = 8;  // bf16 in 16 bytes
constexpr int Lanes = 32;
constexpr int Warps = 8;

Extents matrices(const Sizes& sizes) {
  const std::int64_t columns = sizes.at("columns"), rows = sizes.at("rows");
  return {{"x", {columns, rows}}, {"w", {columns}}, {"b", {columns}}, {"out", {columns, rows}}};
}

Sizes default_sizes(const Target& target) {
  if (target.is_emulated()) return {{"columns", 4096}, {"rows", 3}};
  return target.is_gpu() ? Sizes{{"columns", 8192}, {"rows", 16384}} : Sizes{{"columns", 1024}, {"rows", 256}};
}

/// The reduction of `total` over `k` by all threads of the block that computes a row of `out`: in the
/// order of reduce_across, so that every machine gives the same bits.
void reduce_in_block(Func& total, const RVar& k, Func& out, const Var& j, bool on_gpu) {
  const Var i1("i1"), i2("i2");
  const RVar i0("i0");
  Func partial = total.update().reduce_across(k, {Vector, Lanes, Warps});
  if (!on_gpu) {
    for (Func* f : {&partial, &total}) f->compute_at(out, j);
    partial.tree_level(1).compute_at(out, j);
    return;
  }
  partial.compute_at(out, j).store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
  partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0);
  partial.tree_level(1).compute_at(out, j).store_in(MemoryType::GPUShared).gpu_warps(i2);
  total.compute_at(out, j).store_in(MemoryType::Register);
}

void write_rows(Func& out, const Var& i, const Var& j, const Target& target) {
  Var v("v"), t("t");
  if (target.is_gpu()) out.split(i, i, v, Vector).vectorize(v).split(i, i, t, Lanes * Warps).gpu_threads(t).gpu_blocks(j);
  else out.vectorize(i, target.natural_vector_size(32)).parallel(j);
}

template <bool Fast>
struct Softmax {
  BOOST_HANA_DEFINE_STRUCT(Softmax, (Input<bfloat16_t, 2>, x), (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = Fast ? "softmax_fast" : "softmax",
            .description = "softmax of the rows of a bf16 matrix",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) { return {.operations = 5.0 * double(sizes.at("columns")) * double(sizes.at("rows"))}; }

  Var i{"i"}, j{"j"};
  RDom k;
  Func most{"most"}, sum{"sum"};
  Expr power(const Expr& e) const { return Fast ? fast_exp2(e) : exp2(e); }
  void algorithm() {
    constexpr float Log2e = 1.44269504f;
    k = RDom(0, x.width(), "k");
    most(j) = -std::numeric_limits<float>::infinity();
    most(j) = max(most(j), f32(x(k, j)));
    sum(j) = 0.0f;
    sum(j) += power((f32(x(k, j)) - most(j)) * Log2e);
    out(i, j) = bf16(power((f32(x(i, j)) - most(j)) * Log2e) / sum(j));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name != "tuned") return;
    write_rows(out, i, j, target);
    reduce_in_block(sum, k.x, out, j, target.is_gpu());
    reduce_in_block(most, k.x, out, j, target.is_gpu());
  }
};

template <bool Fast>
struct RmsNorm {
  BOOST_HANA_DEFINE_STRUCT(RmsNorm, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 1>, w), (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = Fast ? "rmsnorm_fast" : "rmsnorm",
            .description = "x / sqrt(mean(x^2) + 1e-5), to bf16, times w",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) { return {.operations = 4.0 * double(sizes.at("columns")) * double(sizes.at("rows"))}; }

  Var i{"i"}, j{"j"};
  RDom k;
  Func squares{"squares"}, scale{"scale"};
  void algorithm() {
    k = RDom(0, x.width(), "k");
    squares(j) = 0.0f;
    squares(j) += f32(x(k, j)) * f32(x(k, j));
    const Expr mean = squares(j) / f32(x.width()) + 1e-5f;
    scale(j) = Fast ? fast_inverse_sqrt(mean) : rsqrt(mean);
    out(i, j) = bf16(f32(bf16(f32(x(i, j)) * scale(j))) * f32(w(i)));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name != "tuned") return;
    write_rows(out, i, j, target);
    scale.compute_at(out, j);
    if (target.is_gpu()) scale.store_in(MemoryType::Register);
    reduce_in_block(squares, k.x, out, j, target.is_gpu());
  }
};

template <bool Fast>
struct LayerNorm {
  BOOST_HANA_DEFINE_STRUCT(LayerNorm, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 1>, w), (Input<bfloat16_t, 1>, b),
                           (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = Fast ? "layernorm_fast" : "layernorm",
            .description = "(x - mean) / sqrt(variance + 1e-5) * w + b on bf16",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) { return {.operations = 8.0 * double(sizes.at("columns")) * double(sizes.at("rows"))}; }

  Var i{"i"}, j{"j"};
  RDom k;
  Func sum{"sum"}, squares{"squares"}, mean{"mean"}, scale{"scale"};
  void algorithm() {
    const Expr n = f32(x.width());
    k = RDom(0, x.width(), "k");
    sum(j) = 0.0f;
    sum(j) += f32(x(k, j));
    mean(j) = sum(j) / n;
    squares(j) = 0.0f;
    const Expr d = f32(x(k, j)) - mean(j);
    squares(j) += d * d;
    const Expr variance = squares(j) / n + 1e-5f;
    scale(j) = Fast ? fast_inverse_sqrt(variance) : rsqrt(variance);
    out(i, j) = bf16((f32(x(i, j)) - mean(j)) * scale(j) * f32(w(i)) + f32(b(i)));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name != "tuned") return;
    write_rows(out, i, j, target);
    for (Func* f : {&mean, &scale}) {
      f->compute_at(out, j);
      if (target.is_gpu()) f->store_in(MemoryType::Register);
    }
    reduce_in_block(squares, k.x, out, j, target.is_gpu());
    reduce_in_block(sum, k.x, out, j, target.is_gpu());
  }
};

}  // namespace

void register_rows(Registry& registry) {
  registry.add<Softmax<false>>();
  registry.add<Softmax<true>>();
  registry.add<RmsNorm<false>>();
  registry.add<RmsNorm<true>>();
  registry.add<LayerNorm<false>>();
  registry.add<LayerNorm<true>>();
}

}  // namespace sinter::apps
