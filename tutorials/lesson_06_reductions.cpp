// Lesson 6: updates and reductions. The page beside this file explains it.

#include <cstdio>

#include <sinter/sinter.h>

using namespace sinter;

int main() {
  Var x("x"), y("y");
  bool good = true;

  // A picture of made-up samples, as a Buffer: a Buffer can be read in an algorithm.
  Buffer<std::uint8_t> samples(64, 48);
  samples.for_each_element([&](int i, int j) { samples(i, j) = std::uint8_t(i * i + 3 * j); });

  // A sum of each row. The first definition is the start, the second runs over the domain.
  RDom across(0, 64, "across");
  Func row_sum("row_sum");
  row_sum(y) = 0;
  row_sum(y) += i32(samples(across, y));
  Buffer<int> sums = row_sum.realize({48});
  int first = 0;
  for (int i = 0; i < 64; ++i) first += samples(i, 0);
  std::printf("sum of row 0: %d\n", sums(0));
  good = good && sums(0) == first;

  // A triangle: where() leaves points of the box out.
  RDom r(0, 10, 0, 10, "r");
  r.where(r.x + r.y < 10);
  Func triangle("triangle");
  triangle() = 0;
  triangle() += r.x;
  Buffer<int> triangle_sum = triangle.realize();
  std::printf("sum over a triangle: %d\n", triangle_sum());
  good = good && triangle_sum() == 165;

  // A histogram writes where the data says. Additions of integers may come in any order, so the
  // rows may be counted in parallel if each addition is indivisible.
  RDom all(samples, "all");
  Func histogram("histogram");
  histogram(x) = 0;
  histogram(i32(samples(all.x, all.y))) += 1;
  histogram.update().atomic().parallel(all.y);
  Buffer<int> bins = histogram.realize({256});
  int total = 0;
  bins.for_each_value([&](int n) { total += n; });
  std::printf("samples counted: %d\n", total);
  good = good && total == 64 * 48;

  // A step may read what an earlier step wrote: this is a running sum. Its order is the algorithm.
  RDom step(1, 47, "step");
  Func running("running");
  running(x) = row_sum(x);
  running(step) += running(step - 1);
  row_sum.compute_root();
  Buffer<int> runs = running.realize({48});
  int until_end = 0;
  sums.for_each_value([&](int n) { until_end += n; });
  std::printf("running sum at the end: %d\n", runs(47));
  good = good && runs(47) == until_end;

  // Float additions round, so their order is part of the result: the order of a float reduction's
  // steps cannot be changed by a schedule.
  RDom q(0, 8, 0, 8, "q");
  Func mean("mean");
  mean(y) = 0.0f;
  mean(y) += f32(samples(q.x, q.y + y)) / 64.0f;
  try {
    mean.update().reorder(q.y, q.x);
    mean.realize({4});
    good = false;
  } catch (const ScheduleError& error) {
    std::printf("%s is refused:\n%s\n", error.diagnostic().directive.c_str(),
                error.diagnostic().reason.c_str());
  }

  std::printf("all as expected: %s\n", good ? "yes" : "no");
  return good ? 0 : 1;
}
