// The convolution layer in Halide.

#include "apps/peer/halide_peer.h"

namespace {

using namespace Halide;

class Conv2d : public peer::HalideProgram<float> {
 public:
  std::vector<int> output_extents(const peer::Sizes& sizes) const override {
    return {sizes.at("outputs"), sizes.at("width"), sizes.at("height"), sizes.at("batch")};
  }

  peer::Candidates candidates(const peer::Sizes& sizes) override {
    input_ = peer::filled<float>(
        0, {sizes.at("inputs"), sizes.at("width") + 2, sizes.at("height") + 2, sizes.at("batch")});
    filter_ = peer::filled<float>(1, {sizes.at("outputs"), 3, 3, sizes.at("inputs")});
    bias_ = peer::filled<float>(2, {sizes.at("outputs")});
    // Tiles of vectors of channels x pixels that fit 16 (AVX2) or 32 (AVX-512) registers.
    peer::Candidates result;
    const Target target = get_jit_target_from_environment();
    using Tile = std::pair<int, int>;
    const std::vector<Tile> tiles = target.has_feature(Target::AVX512)
                                        ? std::vector<Tile>{{4, 5}, {4, 6}, {2, 10}, {3, 8}}
                                        : std::vector<Tile>{{3, 4}, {2, 5}, {2, 6}, {4, 3}};
    for (const auto& [vectors, pixels] : tiles) {
      if (sizes.at("outputs") % (vectors * target.natural_vector_size<float>()) != 0) continue;
      result.push_back(scheduled(vectors, pixels, target, true));
      result.push_back(scheduled(vectors, pixels, target, false));
    }
    return result;
  }

 private:
  Pipeline scheduled(int vectors, int pixels, const Target& target, bool stage_operands) const {
    const int vector = target.natural_vector_size<float>();
    Var c("c"), x("x"), y("y"), n("n"), co("co"), ci("ci"), xo("xo"), xi("xi");
    Func in("in"), filter("filter"), sum("sum"), out("out");
    RDom r(0, input_.dim(0).extent(), 0, 3, 0, 3);
    in(c, x, y, n) = input_(c, x, y, n);
    filter(c, x, y, n) = filter_(c, x, y, n);
    sum(c, x, y, n) = bias_(c);
    sum(c, x, y, n) += filter(c, r.y, r.z, r.x) * in(r.x, x + r.y, y + r.z, n);
    out(c, x, y, n) = max(sum(c, x, y, n), 0.0f);

    out.split(c, co, ci, vector * vectors)
        .split(x, xo, xi, pixels)
        .reorder(ci, xi, xo, y, n, co)
        .vectorize(ci, vector)
        .unroll(ci)
        .unroll(xi)
        .parallel(y)
        .parallel(n)
        .parallel(co);
    sum.compute_at(out, xo)
        .vectorize(c, vector)
        .unroll(c)
        .unroll(x)
        .unroll(y)
        .update()
        .reorder(c, x, y, r.x, r.y, r.z, n)
        .vectorize(c, vector)
        .unroll(c)
        .unroll(x)
        .unroll(y)
        .unroll(r.x, 2);
    if (stage_operands) {  // filter values of one r.x in registers before they are used
      filter.compute_at(sum, r.x).vectorize(c, vector).unroll(c).unroll(n);
      in.compute_at(sum, r.x).unroll(c);
    }
    return out;
  }

  Buffer<float> input_, filter_, bias_;
};

}  // namespace

int main() {
  Conv2d program;
  return peer::serve(program);
}
