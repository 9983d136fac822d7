// Chains of operators on bf16 matrices in one pass: gelu(x * 1.5 + 0.1) * r + x (three streams),
// and a chain of ten operators (three streams and a row). Each comes with portable functions and
// with the GPU's approximations (the names that end in _fast).

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

Extents matrices(const Sizes& sizes) {
  const std::int64_t columns = sizes.at("columns"), rows = sizes.at("rows");
  return {
      {"x", {columns, rows}}, {"r", {columns, rows}}, {"w", {columns}}, {"out", {columns, rows}}};
}

Sizes default_sizes(const Target& target) {
  if (target.is_emulated()) return {{"columns", 512}, {"rows", 3}};
  return target.is_gpu() ? Sizes{{"columns", 8192}, {"rows", 16384}}
                         : Sizes{{"columns", 2048}, {"rows", 512}};
}

/// Whole vectors of a row: on a GPU 16 bytes a thread, of `rows` rows, which share the arithmetic
/// of addresses where instructions are what a kernel waits for.
void schedule_rows(Func& out, const Var& i, const Var& j, const std::string& name,
                   const Target& target, int rows = 1) {
  Var v("v"), t("t"), row("row");
  if (name == "root" || name == "none") return;
  if (target.is_gpu() && rows > 1) {
    out.split(i, i, v, 8).vectorize(v).split(i, i, t, 64).split(j, j, row, rows);
    out.reorder(v, row, t, i, j).unroll(row).gpu_blocks(i, j).gpu_threads(t).gpu_min_blocks(24);
  } else if (target.is_gpu()) {
    out.split(i, i, v, 8).vectorize(v).split(i, i, t, 128).gpu_blocks(i, j).gpu_threads(t);
  } else {
    out.vectorize(i, target.natural_vector_size(32)).parallel(j);
  }
}

template <bool Fast>
Expr tanh_of(const Expr& x) {
  return Fast ? fast_tanh(x) : tanh(x);
}

template <bool Fast>
struct Gelu {
  BOOST_HANA_DEFINE_STRUCT(Gelu, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 2>, r),
                           (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {.name = Fast ? "gelu_fast" : "gelu",
            .description = "gelu(x * 1.5 + 0.1) * r + x on bf16, one pass",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = default_sizes,
            .tolerance = Fast ? 1 : 0};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) {
    return {.operations = 14.0 * double(sizes.at("columns")) * double(sizes.at("rows"))};
  }

  Var i{"i"}, j{"j"};
  void algorithm() {
    const Expr a = f32(x(i, j)), u = a * 1.5f + 0.1f;
    // 0.5 u (1 + tanh(sqrt(2 / pi) (u + 0.044715 u^3)))
    const Expr gelu =
        0.5f * u * (1.0f + tanh_of<Fast>(0.7978845608f * (u + 0.044715f * u * u * u)));
    out(i, j) = bf16(gelu * f32(r(i, j)) + a);
  }
  void schedule(const std::string& name, const Target& target) {
    schedule_rows(out, i, j, name, target, Fast ? 1 : 4);
  }
};

template <bool Fast>
struct Chain10 {
  BOOST_HANA_DEFINE_STRUCT(Chain10, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 2>, r),
                           (Input<bfloat16_t, 1>, w), (Output<bfloat16_t, 2>, out));

  static PipelineInfo info() {
    return {
        .name = Fast ? "chain10_fast" : "chain10",
        .description = "tanh(sigmoid(relu(x * 2 + 1) * 0.5 - 0.3) * x + r) * w on bf16, one pass",
        .schedules = {"none", "root", "tuned"},
        .default_sizes = default_sizes,
        .tolerance = Fast ? 1 : 0};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes& sizes) {
    return {.operations = 12.0 * double(sizes.at("columns")) * double(sizes.at("rows"))};
  }

  Var i{"i"}, j{"j"};
  void algorithm() {
    const Expr a = f32(x(i, j)), u = max(a * 2.0f + 1.0f, 0.0f) * 0.5f - 0.3f;
    const Expr sigmoid = Fast ? 0.5f * fast_tanh(0.5f * u) + 0.5f : 1.0f / (1.0f + exp(-u));
    out(i, j) = bf16(tanh_of<Fast>(sigmoid * a + f32(r(i, j))) * f32(w(i)));
  }
  void schedule(const std::string& name, const Target& target) {
    schedule_rows(out, i, j, name, target, Fast ? 1 : 4);
  }
};

/// What the machine can move: as many streams, no work.
template <typename T>
struct Copy {
  BOOST_HANA_DEFINE_STRUCT(Copy, (Input<T, 2>, x), (Output<T, 2>, out));
  static PipelineInfo info() {
    constexpr bool IsFloat = std::is_same_v<T, bfloat16_t>;
    return {.name = IsFloat ? "copy" : "copy_u16",
            .description = std::string(IsFloat ? "a bf16" : "a u16") + " matrix as it is",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes&) { return {}; }
  Var i{"i"}, j{"j"};
  void algorithm() { out(i, j) = x(i, j); }
  void schedule(const std::string& name, const Target& target) {
    schedule_rows(out, i, j, name, target);
  }
};

struct Copy3 {
  BOOST_HANA_DEFINE_STRUCT(Copy3, (Input<bfloat16_t, 2>, x), (Input<bfloat16_t, 2>, r),
                           (Output<bfloat16_t, 2>, out));
  static PipelineInfo info() {
    return {.name = "copy3",
            .description = "the bits of two bf16 matrices, combined",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = default_sizes};
  }
  static Extents extents(const Sizes& sizes) { return matrices(sizes); }
  static Work work(const Sizes&) { return {}; }
  Var i{"i"}, j{"j"};
  void algorithm() {
    const Type u16 = UInt(16);
    out(i, j) = reinterpret(BFloat(16), reinterpret(u16, x(i, j)) ^ reinterpret(u16, r(i, j)));
  }
  void schedule(const std::string& name, const Target& target) {
    schedule_rows(out, i, j, name, target);
  }
};

}  // namespace

void register_pointwise(Registry& registry) {
  registry.add<Copy<bfloat16_t>>();
  registry.add<Copy<std::uint16_t>>();
  registry.add<Copy3>();
  registry.add<Gelu<false>>();
  registry.add<Gelu<true>>();
  registry.add<Chain10<false>>();
  registry.add<Chain10<true>>();
}

}  // namespace sinter::apps
