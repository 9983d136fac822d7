// The backward passes of RMSNorm and LayerNorm over the rows of a bf16 matrix: gradients of the
// input, row by row, and of the weights, summed over rows.
//
// On a GPU a block takes a run of rows, one after the other. Its threads keep a row of x and of dy
// in registers, from which come the sums over the row, the row of dx, and the row's part in the
// weights' gradients; those stay in registers through all rows of the run. One pass over memory
// (Pipeline::fuse), then a small kernel adds up the runs.

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

constexpr int Columns = 8192;
constexpr int Vector = 8;  // bf16 in 16 bytes
constexpr int Lanes = 32;
constexpr int Warps = 8;
constexpr int Run = 63;  // rows that a block takes: 261 blocks for 16384 rows

Extents matrices(const Sizes& sizes) {
  const std::int64_t rows = sizes.at("rows");
  return {{"x", {Columns, rows}}, {"dy", {Columns, rows}}, {"dx", {Columns, rows}},
          {"w", {Columns}},       {"dw", {Columns}},       {"db", {Columns}},
          {"mean", {rows}},       {"scale", {rows}}};
}

Sizes default_sizes(const Target& target) {
  return {{"rows", target.is_emulated() ? 3 : target.is_gpu() ? 16384 : 70}};
}

Work work_of(const Sizes& sizes, double operations) {
  return {.operations = operations * Columns * double(sizes.at("rows"))};
}

/// What both have in common: sums over each row, and sums over all rows.
struct Rows {
  Var i{"i"}, j{"j"}, p{"p"}, r{"r"}, io{"io"};
  RDom k{0, Columns, "k"}, all;
  Func row{"row"}, gradient{"gradient"};

  static void at_root(const std::vector<Func*>& stages) {
    for (Func* f : stages) f->compute_root();
  }

  /// Elements of a row on all threads of a block.
  template <typename Loops>
  void spread(Loops&& f, const Target& target) const {
    const Var v("v"), t("t");
    if (target.is_gpu())
      f.split(i, i, v, Vector).vectorize(v).split(i, i, t, Lanes * Warps).gpu_threads(t).unroll(i);
    else f.vectorize(i, 8);
  }
  template <typename Loops>
  static void tiles(Loops&& f, const Var& loop, const Target& target) {
    if (target.is_gpu()) f.gpu_blocks(loop);
    else f.parallel(loop);
  }

  /// The sum over a row of dx, in the tree of the block's threads.
  void reduce_row(Func& total, Func& dx, const Target& target) const {
    const Var i1("i1"), i2("i2");
    const RVar i0("i0"), t("t");
    Func partial = total.update().reduce_across(k.x, {Vector, Lanes, Warps});
    total.compute_at(dx, r);
    partial.compute_at(dx, r);
    partial.tree_level(1).compute_at(dx, r);
    if (!target.is_gpu()) return;
    total.store_in(MemoryType::Register);
    partial.store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
    partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0).unroll(t);
    partial.tree_level(1).store_in(MemoryType::GPUShared).gpu_warps(i2);
  }

  /// `sums` over all rows: of each run next to dx, then of the runs.
  void join(std::vector<Func> sums, Func& dx, const Expr& rows, const Target& target) const {
    std::vector<Func> joined, kept;
    for (Func& sum : sums) {
      const RVar run("run"), in_run("r");
      sum.bound(i, 0, Columns);
      sum.update().split(all.x, run, in_run, Run);
      Func part = sum.update().rfactor(run, p);
      add_runs(sum, run, target);
      Func result = part.in();  // what leaves the block
      for (Func* f : {&part, &result}) f->compute_root().bound(p, 0, (rows + (Run - 1)) / Run);
      part.update().reorder(i, in_run);
      spread(part, target);
      spread(part.update(), target);
      spread(result, target);
      tiles(part, p, target);
      tiles(part.update(), p, target);
      tiles(result, p, target);
      if (target.is_gpu()) part.store_at(result, p).store_in(MemoryType::Register);
      joined.push_back(part);
      kept.push_back(result);
    }
    dx.bound(i, 0, Columns).bound(j, 0, rows).split(j, p, r, Run);
    spread(dx, target);
    tiles(dx, p, target);
    joined.push_back(dx);
    joined.insert(joined.end(), kept.begin(), kept.end());
    Pipeline outputs(sums);
    outputs.fuse(joined).fuse(sums);
  }

  /// A row, for all that needs it.
  void keep_rows(const std::vector<Func*>& stages, Func& dx, const Target& target) const {
    for (Func* f : stages) {
      f->compute_at(dx, r).bound(i, 0, Columns);
      spread(*f, target);
      if (target.is_gpu()) f->store_in(MemoryType::Register);
    }
  }

  /// Lanes have columns, warps share the runs.
  void add_runs(Func& sum, const RVar& run, const Target& target) const {
    const Var i1("i1");
    Func partial = sum.update().reduce_across(run, {1, Warps});
    if (!target.is_gpu()) {
      partial.compute_root().update().vectorize(i, 8);
      return;
    }
    sum.split(i, io, i, Lanes).gpu_blocks(io).gpu_lanes(i);
    sum.update().split(i, io, i, Lanes).gpu_blocks(io).gpu_lanes(i);
    partial.compute_at(sum, io).store_in(MemoryType::GPUShared).gpu_lanes(i).gpu_warps(i1);
    partial.update().gpu_lanes(i).gpu_warps(i1);
  }
};

struct RmsNormBackward : Rows {
  BOOST_HANA_DEFINE_STRUCT(RmsNormBackward, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 1>, w),
                           (Input<bfloat16_t, 2>, dy), (Input<float, 1>, scale),
                           (Output<bfloat16_t, 2>, dx), (Output<float, 1>, dw));

  static PipelineInfo info() {
    return {.name = "rmsnorm_backward",
            .description = "gradients of x * scale * w, scale = 1 / rms of the row",
            .schedules = {"root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) { return work_of(sizes, 9); }

  Func dot{"dot"};
  void algorithm() {
    all = RDom(0, x.height(), "all");
    row(i, j) = x(i, j);
    gradient(i, j) = dy(i, j);
    dot(j) = 0.0f;
    dot(j) += f32(w(k)) * f32(gradient(k, j)) * f32(row(k, j));
    const Expr pull = dot(j) * scale(j) * scale(j) * (1.0f / Columns);
    dx(i, j) = bf16((f32(w(i)) * f32(gradient(i, j)) - f32(row(i, j)) * pull) * scale(j));
    dw(i) = 0.0f;
    dw(i) += f32(gradient(i, all)) * f32(row(i, all)) * scale(all);
  }
  void schedule(const std::string& name, const Target& target) {
    if (name == "root") return at_root({&row, &gradient, &dot});
    join({dw}, dx, x.height(), target);
    // One block loads while the other's threads meet.
    if (target.is_gpu()) dx.gpu_min_blocks(2);
    reduce_row(dot, dx, target);
    keep_rows({&row, &gradient}, dx, target);
  }
};

struct LayerNormBackward : Rows {
  BOOST_HANA_DEFINE_STRUCT(LayerNormBackward, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 1>, w),
                           (Input<bfloat16_t, 2>, dy), (Input<float, 1>, mean),
                           (Input<float, 1>, scale), (Output<bfloat16_t, 2>, dx),
                           (Output<float, 1>, dw), (Output<float, 1>, db));

  static PipelineInfo info() {
    return {.name = "layernorm_backward",
            .description = "gradients of (x - mean) * scale * w + b",
            .schedules = {"root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) { return work_of(sizes, 13); }

  Func normal{"normal"}, dots{"dots"};
  void algorithm() {
    all = RDom(0, x.height(), "all");
    row(i, j) = x(i, j);
    gradient(i, j) = dy(i, j);
    normal(i, j) = (f32(row(i, j)) - mean(j)) * scale(j);
    const Expr weighted = f32(w(k)) * f32(gradient(k, j));
    dots(j) = Tuple(0.0f, 0.0f);
    dots(j) = Tuple(dots(j)[0] + weighted, dots(j)[1] + weighted * normal(k, j));
    const Expr shift = dots(j)[0] * (1.0f / Columns), pull = dots(j)[1] * (1.0f / Columns);
    const Expr own = f32(w(i)) * f32(gradient(i, j));
    dx(i, j) = bf16((own - shift - normal(i, j) * pull) * scale(j));
    dw(i) = 0.0f;
    dw(i) += f32(gradient(i, all)) * normal(i, all);
    db(i) = 0.0f;
    db(i) += f32(gradient(i, all));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name == "root") return at_root({&row, &gradient, &normal, &dots});
    join({dw, db}, dx, x.height(), target);
    reduce_row(dots, dx, target);
    keep_rows({&row, &gradient}, dx, target);
  }
};

}  // namespace

void register_norms_backward(Registry& registry) {
  registry.add<RmsNormBackward>();
  registry.add<LayerNormBackward>();
}

}  // namespace sinter::apps
