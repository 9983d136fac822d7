// Operators that normalise the rows of a bf16 matrix: softmax, RMSNorm and LayerNorm, each with
// portable functions and with the GPU's approximations (the names that end in _fast).
//
// On a GPU a block takes a row. Its threads fold their elements in registers, lanes exchange
// through shuffles, warps through shared memory, and the row is read again from the cache for the
// result: one kernel, one pass over memory. Where the number of columns is fixed (the names that
// end in _8192), the threads keep the row in registers instead.

#include <limits>

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

constexpr int Vector = 8;  // bf16 in 16 bytes
constexpr int Lanes = 32;

Extents matrices(const Sizes& sizes) {
  const std::int64_t columns = sizes.at("columns"), rows = sizes.at("rows");
  return {{"x", {columns, rows}}, {"w", {columns}}, {"b", {columns}}, {"out", {columns, rows}}};
}

/// `Columns`: fixed, or 0.
template <int Columns>
Sizes default_sizes(const Target& target) {
  Sizes sizes{{"columns", 1024}, {"rows", 256}};
  if (target.is_gpu()) sizes = {{"columns", 8192}, {"rows", 16384}};
  if (target.is_emulated()) sizes = {{"columns", 4096}, {"rows", 3}};
  if (Columns > 0) sizes["columns"] = Columns;
  return sizes;
}

template <bool Fast, int Columns>
std::string name_of(const std::string& name) {
  return name + (Fast ? "_fast" : "") + (Columns > 0 ? "_" + std::to_string(Columns) : "");
}

/// The reduction of `total` over `k` by all threads of the block that computes a row of `out`: in
/// the order of reduce_across, so that every machine gives the same bits.
template <int Columns>
void reduce_in_block(Func& total, const RVar& k, Func& out, const Var& j, bool on_gpu,
                     int warps = 8) {
  const Var i1("i1"), i2("i2");
  const RVar i0("i0"), t("t");
  Func partial = total.update().reduce_across(k, {Vector, Lanes, warps});
  if (!on_gpu) {
    for (Func* f : {&partial, &total}) f->compute_at(out, j);
    partial.tree_level(1).compute_at(out, j);
    return;
  }
  partial.compute_at(out, j).store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
  partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0);
  if (Columns > 0) partial.update().unroll(t);
  partial.tree_level(1).compute_at(out, j).store_in(MemoryType::GPUShared).gpu_warps(i2);
  total.compute_at(out, j).store_in(MemoryType::Register);
}

/// Vectors of a row on all threads of a block; those of a fixed row at once.
template <int Columns>
Func& spread(Func& f, const Var& i, int warps) {
  Var v("v"), t("t");
  f.split(i, i, v, Vector).vectorize(v).split(i, i, t, Lanes * warps).gpu_threads(t);
  return Columns > 0 ? f.unroll(i) : f;
}

/// The output, and stages over its rows that are kept where the row is fixed.
template <int Columns>
void write_rows(Func& out, const Var& i, const Var& j, std::vector<Func*> kept,
                const Target& target, int warps = 8) {
  if (!target.is_gpu()) {
    out.vectorize(i, target.natural_vector_size(32)).parallel(j);
    return;
  }
  if (Columns > 0) out.bound(i, 0, Columns);
  spread<Columns>(out, i, warps).gpu_blocks(j);
  if (Columns == 0) return;
  for (Func* f : kept)
    spread<Columns>(f->bound(i, 0, Columns).compute_at(out, j).store_in(MemoryType::Register), i,
                    warps);
}

void at_root(const std::vector<Func*>& stages) {
  for (Func* f : stages) f->compute_root();
}

/// A value of each row, computed by every thread for itself.
void once_a_row(std::vector<Func*> values, Func& out, const Var& j, const Target& target) {
  for (Func* f : values) {
    f->compute_at(out, j);
    if (target.is_gpu()) f->store_in(MemoryType::Register);
  }
}

template <bool Fast, int Columns>
struct Softmax {
  BOOST_HANA_DEFINE_STRUCT(Softmax, (Input<bfloat16_t, 2>, x), (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = name_of<Fast, Columns>("softmax"),
            .description = "softmax of the rows of a bf16 matrix",
            .schedules = {"root", "tuned"},
            .default_sizes = default_sizes<Columns>,
            .tolerance = Fast ? 1 : 0};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) {
    return {.operations = 5.0 * double(sizes.at("columns")) * double(sizes.at("rows"))};
  }

  Var i{"i"}, j{"j"};
  RDom k;
  Func element{"element"}, row{"row"}, most{"most"}, power{"power"}, sum{"sum"}, part{"part"};
  void algorithm() {
    k = Columns > 0 ? RDom(0, Columns, "k") : RDom(0, x.width(), "k");
    element(i, j) = x(i, j);
    row(i, j) = f32(element(i, j));
    most(j) = -std::numeric_limits<float>::infinity();
    most(j) = max(most(j), row(k, j));
    const Expr exponent = (row(i, j) - most(j)) * 1.44269504f;
    power(i, j) = Fast ? fast_exp2(exponent) : exp2(exponent);
    sum(j) = 0.0f;
    sum(j) += power(k, j);
    part(j) = Fast ? fast_inverse(sum(j)) : 1.0f / sum(j);
    out(i, j) = bf16(power(i, j) * part(j));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name == "root") return at_root({&row, &most, &power, &sum, &part});
    write_rows<Columns>(out, i, j, {&power, &element}, target);
    if (Columns == 0 && target.is_gpu()) out.stream_loads(x);
    once_a_row({&part}, out, j, target);
    reduce_in_block<Columns>(sum, k.x, out, j, target.is_gpu());
    reduce_in_block<Columns>(most, k.x, out, j, target.is_gpu());
  }
};

template <bool Fast, int Columns>
struct RmsNorm {
  BOOST_HANA_DEFINE_STRUCT(RmsNorm, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 1>, w),
                           (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = name_of<Fast, Columns>("rmsnorm"),
            .description = "x / sqrt(mean(x^2) + 1e-5), to bf16, times w",
            .schedules = {"root", "tuned"},
            .default_sizes = default_sizes<Columns>,
            .tolerance = Fast ? 2 : 0};  // one for each rounding
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) {
    return {.operations = 4.0 * double(sizes.at("columns")) * double(sizes.at("rows"))};
  }

  Var i{"i"}, j{"j"};
  RDom k;
  Func element{"element"}, row{"row"}, squares{"squares"}, scale{"scale"};
  void algorithm() {
    k = Columns > 0 ? RDom(0, Columns, "k") : RDom(0, x.width(), "k");
    element(i, j) = x(i, j);
    row(i, j) = f32(element(i, j));
    squares(j) = 0.0f;
    squares(j) += row(k, j) * row(k, j);
    const Expr mean = squares(j) / f32(x.width()) + 1e-5f;
    scale(j) = Fast ? fast_inverse_sqrt(mean) : rsqrt(mean);
    out(i, j) = bf16(f32(bf16(row(i, j) * scale(j))) * f32(w(i)));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name == "root") return at_root({&row, &squares, &scale});
    const int warps = Columns > 0 ? 16 : 8;
    write_rows<Columns>(out, i, j, {&element}, target, warps);
    once_a_row({&scale}, out, j, target);
    reduce_in_block<Columns>(squares, k.x, out, j, target.is_gpu(), warps);
  }
};

template <bool Fast, int Columns>
struct LayerNorm {
  BOOST_HANA_DEFINE_STRUCT(LayerNorm, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 1>, w),
                           (Input<bfloat16_t, 1>, b), (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = name_of<Fast, Columns>("layernorm"),
            .description = "(x - mean) / sqrt(variance + 1e-5) * w + b on bf16",
            .schedules = {"root", "tuned"},
            .default_sizes = default_sizes<Columns>,
            .tolerance = Fast ? 1 : 0};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) {
    return {.operations = 8.0 * double(sizes.at("columns")) * double(sizes.at("rows"))};
  }

  Var i{"i"}, j{"j"};
  RDom k;
  Func element{"element"}, row{"row"}, sum{"sum"}, squares{"squares"}, mean{"mean"}, scale{"scale"};
  void algorithm() {
    const Expr n = f32(x.width());
    k = Columns > 0 ? RDom(0, Columns, "k") : RDom(0, x.width(), "k");
    element(i, j) = x(i, j);
    row(i, j) = f32(element(i, j));
    sum(j) = 0.0f;
    sum(j) += row(k, j);
    mean(j) = sum(j) / n;
    squares(j) = 0.0f;
    const Expr d = row(k, j) - mean(j);
    squares(j) += d * d;
    const Expr variance = squares(j) / n + 1e-5f;
    scale(j) = Fast ? fast_inverse_sqrt(variance) : rsqrt(variance);
    out(i, j) = bf16((row(i, j) - mean(j)) * scale(j) * f32(w(i)) + f32(b(i)));
  }
  void schedule(const std::string& name, const Target& target) {
    if (name == "root") return at_root({&row, &sum, &mean, &squares, &scale});
    write_rows<Columns>(out, i, j, {&element}, target);
    if (Columns == 0 && target.is_gpu()) out.stream_loads(x).stream_stores();
    once_a_row({&scale, &mean}, out, j, target);
    reduce_in_block<Columns>(squares, k.x, out, j, target.is_gpu());
    reduce_in_block<Columns>(sum, k.x, out, j, target.is_gpu());
  }
};

template <template <bool, int> typename P>
void add_all(Registry& registry) {
  registry.add<P<false, 0>>();
  registry.add<P<true, 0>>();
  registry.add<P<false, 8192>>();
  registry.add<P<true, 8192>>();
}

}  // namespace

void register_rows(Registry& registry) {
  add_all<Softmax>(registry);
  add_all<RmsNorm>(registry);
  add_all<LayerNorm>(registry);
}

}  // namespace sinter::apps
