// Lesson 4: the loops of one stage. The page beside this file explains it.

#include <cstdio>
#include <functional>
#include <string>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

Var x("x"), y("y"), xo("xo"), xi("xi"), yo("yo"), yi("yi"), xy("xy");
bool all_equal = true;

/// Schedules a fresh stage, shows its loops, and compares it with plain C++.
void show(const char* title, const std::function<void(Func&)>& schedule) {
  Func f("f");
  f(x, y) = x + 100 * y;
  schedule(f);
  std::printf("%s\n", title);
  std::fflush(stdout);
  f.print_loop_nest();
  const int width = 21, height = 10;
  Buffer<int> result = f.realize({width, height});
  result.for_each_element(
      [&](int i, int j) { all_equal = all_equal && result(i, j) == i + 100 * j; });
  std::printf("\n");
}

}  // namespace

int main() {
  show("the default: the first variable innermost", [](Func&) {});

  show("reorder: innermost first", [](Func& f) { f.reorder(y, x); });

  show("split: one loop becomes two", [](Func& f) { f.split(x, xo, xi, 8); });

  show("the tail, guarded", [](Func& f) { f.split(x, xo, xi, 8, TailStrategy::GuardWithIf); });

  show("tile: two splits and a reorder", [](Func& f) { f.tile(x, y, xo, yo, xi, yi, 8, 4); });

  show("fuse: two loops become one",
       [](Func& f) { f.tile(x, y, xo, yo, xi, yi, 8, 4).fuse(xo, yo, xy).parallel(xy); });

  show("vectorize and unroll", [](Func& f) { f.vectorize(x, 8).unroll(y, 2); });

  show("partition: one body for inside and edge", [](Func& f) {
    f.vectorize(x, 8, TailStrategy::GuardWithIf).partition(x, Partition::Never);
  });

  // RoundUp promises that callers bring suitable extents; 21 is none.
  Func g("g");
  g(x, y) = x + 100 * y;
  g.vectorize(x, 8, TailStrategy::RoundUp);
  bool refused = false;
  try {
    g.realize({21, 10});
  } catch (const RuntimeError& error) {
    refused = true;
    std::printf("%s\n", error.diagnostic().reason.c_str());
  }
  Buffer<int> rounded = g.realize({24, 10});
  std::printf("with an extent of 24: %d\n", rounded(23, 9));

  std::printf("every schedule gave the same: %s\n", all_equal ? "yes" : "no");
  return all_equal && refused && rounded(23, 9) == 923 ? 0 : 1;
}
