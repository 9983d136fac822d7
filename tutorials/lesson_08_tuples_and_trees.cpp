// Lesson 8: tuples, and reductions as trees. The page beside this file explains it.

#include <cmath>
#include <cstdio>

#include <sinter/sinter.h>

using namespace sinter;

int main() {
  Var x("x"), u("u");
  bool good = true;
  constexpr int Count = 4096;
  Buffer<float> values(Count);
  for (int i = 0; i < Count; ++i) values(i) = std::sin(float(i)) * 100.0f;

  // --- A Tuple: several values of one element, computed and updated together.
  RDom r(0, Count, "r");
  Func largest("largest");
  largest() = Tuple(-1, -1e30f);
  Expr better = values(r) > largest()[1];
  largest() = Tuple(select(better, Expr(r), largest()[0]), select(better, values(r), largest()[1]));
  Realization found = largest.realize();
  Buffer<int> place = found[0].as<int>();
  Buffer<float> value = found[1].as<float>();
  std::printf("the largest value stands at %d: %.4f\n", place(), double(value()));
  for (int i = 0; i < Count; ++i) good = good && values(i) <= value();

  // --- The same, ready-made.
  Func ready("ready");
  ready() = argmax(values(RDom(0, Count)))[0];
  Buffer<int> again = ready.realize();
  good = good && again() == place();

  // --- A float sum has one order: one addition after the other.
  Func total("total");
  total() = 0.0f;
  total() += values(r);
  Buffer<float> serial = total.realize();
  float expected = 0.0f;
  for (int i = 0; i < Count; ++i) expected += values(i);
  good = good && serial() == expected;

  // --- rfactor writes another order into the algorithm: 8 partial sums side by side, which a
  // vector
  //     holds, then the sum of those.
  RVar ro("ro"), ri("ri");
  Func eight("eight");
  eight() = 0.0f;
  eight() += values(r);
  eight.update().split(r, ro, ri, 8);
  Func partial = eight.update().rfactor(ri, u);
  partial.compute_root().vectorize(u, 8);
  partial.update().reorder(u, ro).vectorize(u, 8);
  Buffer<float> factored = eight.realize();
  float lanes[8] = {}, by_lanes = 0.0f;
  for (int i = 0; i < Count; ++i) lanes[i % 8] += values(i);
  for (float lane : lanes) by_lanes += lane;
  std::printf("rfactor gives the sum of eight partial sums: %s\n",
              factored() == by_lanes ? "yes" : "no");
  good = good && factored() == by_lanes;

  // --- reduce_across: a whole tree at once. Runs of 4, then 16 partial sums added pairwise.
  Func tree("tree");
  tree() = 0.0f;
  tree() += values(r);
  Func leaves = tree.update().reduce_across(r, {4, 16});
  leaves.compute_root();
  Buffer<float> across = tree.realize();
  float p[16] = {};
  for (int t = 0; t < Count / 64; ++t) {
    for (int i1 = 0; i1 < 16; ++i1) {
      for (int i0 = 0; i0 < 4; ++i0) p[i1] += values((t * 16 + i1) * 4 + i0);
    }
  }
  for (int s = 8; s >= 1; s /= 2) {
    for (int i = 0; i < s; ++i) p[i] += p[i + s];
  }
  std::printf("reduce_across gives the tree that is written down: %s\n",
              across() == 0.0f + p[0] ? "yes" : "no");
  good = good && across() == 0.0f + p[0];
  return good ? 0 : 1;
}
