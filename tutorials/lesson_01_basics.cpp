// Lesson 1: an algorithm, and two schedules of it. The page beside this file explains it.

#include <cstdio>

#include <sinter/sinter.h>

using namespace sinter;

int main() {
  // What to compute: a brightness ramp, and at each place the mean of three neighbours of it.
  Var x("x"), y("y");
  Func ramp("ramp"), mean("mean");
  ramp(x, y) = x * x + 10 * y;
  mean(x, y) = (ramp(x - 1, y) + ramp(x, y) + ramp(x + 1, y)) / 3;

  // How to compute it: at first the default, everything in one loop nest.
  Buffer<std::int32_t> plain = mean.realize({8, 4});
  std::printf("mean(3, 2) = %d\n", plain(3, 2));

  // Another schedule: the ramp is stored, four places at a time are computed by one instruction,
  // and rows are shared among the processor's cores.
  ramp.compute_root().vectorize(x, 4);
  mean.vectorize(x, 4).parallel(y);
  Buffer<std::int32_t> scheduled = mean.realize({8, 4});

  // A schedule never changes the result.
  bool equal = true;
  plain.for_each_element([&](int i, int j) { equal = equal && plain(i, j) == scheduled(i, j); });
  std::printf("both schedules give the same: %s\n", equal ? "yes" : "no");

  // A directive that cannot be applied is refused, with the reason.
  try {
    mean.vectorize(Var("z"), 4);
    mean.realize({8, 4});
    std::printf("accepted\n");
  } catch (const ScheduleError& error) {
    std::printf("refused in stage '%s'\n", error.diagnostic().stage.c_str());
  }
  return equal ? 0 : 1;
}
