// Lesson 5: where a stage is computed, and where it is stored. The page beside this file explains
// it.

#include <cstdio>
#include <functional>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

Var x("x"), y("y"), yo("yo"), yi("yi");
constexpr int Width = 32, Height = 32;

struct Pair {
  Func producer{"producer"}, consumer{"consumer"};
  Pair() {
    producer(x, y) = x * x + y;
    consumer(x, y) = producer(x, y - 1) + producer(x, y) + producer(x, y + 1);
  }
};

bool all_equal = true;

void show(const char* title, const std::function<void(Pair&)>& schedule) {
  Pair p;
  schedule(p);
  std::printf("%s\n", title);
  std::fflush(stdout);
  p.consumer.print_loop_nest();
  std::printf("\n");
  Buffer<int> result = p.consumer.realize({Width, Height});
  result.for_each_element(
      [&](int i, int j) { all_equal = all_equal && result(i, j) == 3 * (i * i + j); });
}

}  // namespace

int main() {
  show("inline: computed in the consumer's expression, three times for each element", [](Pair&) {});

  show("root: all of it, before the consumer starts", [](Pair& p) { p.producer.compute_root(); });

  show("at: what one row of the consumer needs, for each row anew",
       [](Pair& p) { p.producer.compute_at(p.consumer, y); });

  show("stored further out than computed: a sliding window",
       [](Pair& p) { p.producer.store_root().compute_at(p.consumer, y); });

  show("strips in parallel, a window in each", [](Pair& p) {
    p.consumer.split(y, yo, yi, 8).parallel(yo);
    p.producer.store_at(p.consumer, yo).compute_at(p.consumer, yi).vectorize(x, 8);
  });

  // Storage outside a parallel loop cannot slide: the rows do not come one after the other.
  bool refused = false;
  try {
    Pair p;
    p.consumer.parallel(y);
    p.producer.store_root().compute_at(p.consumer, y);
    p.consumer.realize({Width, Height});
  } catch (const ScheduleError& error) {
    refused = true;
    std::printf("refused: %s\nremedy: %s\n", error.diagnostic().reason.c_str(),
                error.diagnostic().remedy.c_str());
  }

  std::printf("every schedule gave the same: %s\n", all_equal ? "yes" : "no");
  return all_equal && refused ? 0 : 1;
}
