// Single-precision matrix product, row-major: out(column, row) = sum over k of a(k, row) *
// b(column, k).

#include <sinter/registry.h>
#include <sinter/signature.h>

namespace sinter::apps {

namespace {

struct Sgemm {
  BOOST_HANA_DEFINE_STRUCT(Sgemm, (Input<float, 2>, a), (Input<float, 2>, b),
                           (Output<float, 2>, out));

  static PipelineInfo info() {
    return {.name = "sgemm",
            .description = "matrix product, f32, row-major",
            .schedules = {"none", "root", "simple", "tuned"},
            .default_sizes = [](const Target&) {
              return Sizes{{"m", 1024}, {"n", 1024}, {"k", 1024}};
            }};
  }
  static Extents extents(const Sizes& sizes) {
    const std::int64_t m = sizes.at("m"), n = sizes.at("n"), k = sizes.at("k");
    return {{"a", {k, m}}, {"b", {n, k}}, {"out", {n, m}}};
  }
  static Work work(const Sizes& sizes) {
    return {.operations =
                2.0 * double(sizes.at("m")) * double(sizes.at("n")) * double(sizes.at("k"))};
  }

  Var i{"i"}, j{"j"}, l{"l"};
  RDom k;
  Func panel{"panel"}, product{"product"};

  void algorithm() {
    k = RDom(0, a.width(), "k");
    panel(j, l) = b(j, l);  // a name for packed copies
    product(j, i) = 0.0f;
    product(j, i) += a(k, i) * panel(j, k);
    out(j, i) = product(j, i);
  }

  void schedule(const std::string& name, const Target& target) {
    product.compute_root();
    if (name == "none" || name == "root") return;
    const int vector = target.natural_vector_size(32);
    if (name == "simple") {
      product.vectorize(j, vector)
          .parallel(i)
          .update()
          .reorder(j, k, i)
          .vectorize(j, vector)
          .parallel(i);
      out.vectorize(j, vector).parallel(i);
    } else if (name == "tuned") {
      // A register tile of `rows` x two vectors accumulates over all k; b's panel of two vectors'
      // width is packed once per column block, so that the inner loop streams it.
      const int rows = vector >= 16 ? 12 : 6;
      Var jo{"jo"}, ji{"ji"}, io{"io"}, ii{"ii"};
      out.tile(j, i, jo, io, ji, ii, 2 * vector, rows)
          .reorder(ji, ii, io, jo)
          .vectorize(ji, vector)
          .unroll(ji)
          .unroll(ii)
          .parallel(jo);
      product.compute_at(out, io).vectorize(j, vector).unroll(j).unroll(i);
      product.update().reorder(j, i, k).vectorize(j, vector).unroll(j).unroll(i);
      panel.compute_at(out, jo).vectorize(j, vector);
    }
  }
};

}  // namespace

void register_sgemm(Registry& registry) { registry.add<Sgemm>(); }

}  // namespace sinter::apps
