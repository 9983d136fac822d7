// Random stages that read each other, most of them produced at one loop of the output and some of
// them stored further out: what slides there depends on what the others bind.

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/entities.h"
#include "dsl/schedule/fluent.h"
#include "tests/property/random.h"
#include "tests/property/trial.h"

namespace sinter::test {
namespace {

class OnePlace {
 public:
  explicit OnePlace(std::uint64_t seed) : random_(seed) {
    make_stages();
    make_output();
    for (Func& stage : stages_) place(stage);
  }

  TrialResult run() {
    Instance instance;
    instance.algorithm = collect({out_});
    instance.schedule = schedule::schedule_of({out_});
    instance.boxes = {
        {{random_.in(-4, 4), random_.in(0, 23)}, {random_.in(-4, 4), random_.in(0, 13)}}};
    instance.data_seed = 1;
    return run_trial(instance);
  }

 private:
  Expr call(Func& f) {
    const int sx = random_.chance(15) ? 2 : 1, sy = random_.chance(15) ? 2 : 1;
    return f(x * sx + random_.in(-1, 2), y * sy + random_.in(-1, 2));
  }

  void make_stages() {
    const int count = random_.in(2, 4);
    for (int i = 0; i < count; ++i) {
      Func f("f" + std::to_string(i));
      Expr value = x * 3 + y * 5 + i;
      const int calls = i > 0 ? random_.in(1, 3) : 0;
      for (int k = 0; k < calls; ++k)
        value = value + call(stages_[random_.index(stages_.size())]) * (k + 2);
      f(x, y) = value;
      if (random_.chance(25)) f(x, y) = f(x, y) * 2 + x;
      if (random_.chance(15)) {
        RDom r(0, 3, "r");
        f(x, y) += r * x;
      }
      stages_.push_back(f);
    }
  }

  void make_output() {
    Expr value = call(stages_.back());
    for (std::size_t i = 0; i + 1 < stages_.size(); ++i) {
      if (random_.chance(65)) value = value + call(stages_[i]) * static_cast<int>(i + 2);
    }
    out_(x, y) = value;
    const std::vector<TailStrategy> tails{TailStrategy::GuardWithIf, TailStrategy::ShiftInwards};
    const TailStrategy tail = random_.pick(tails);
    switch (random_.in(0, 3)) {
      case 0:
        loops_ = {x, y};
        break;
      case 1:
        out_.split(y, yo, yi, random_.in(2, 5), tail);
        loops_ = {x, yi, yo};
        break;
      case 2:
        out_.tile(x, y, xo, yo, xi, yi, random_.in(2, 8), random_.in(2, 4), tail);
        loops_ = {xi, yi, xo, yo};
        break;
      default:
        out_.split(x, xo, xi, random_.in(2, 8), tail).reorder(xi, y, xo);
        loops_ = {xi, y, xo};
    }
    place_ = random_.chance(60) ? loops_.size() - 1 : random_.index(loops_.size());
  }

  void place(Func& stage) {
    const int choice = random_.in(0, 9);
    if (choice == 0) return;  // inline
    if (choice == 1) {
      stage.compute_root();
      return;
    }
    const std::size_t at = choice < 8 ? place_ : random_.index(loops_.size());
    stage.compute_at(out_, loops_[at]);
    if (random_.chance(25)) stage.vectorize(x, 4);
    if (random_.chance(40)) return;
    const std::size_t store = at + random_.index(loops_.size() + 1 - at);
    if (store == loops_.size()) stage.store_root();
    else stage.store_at(out_, loops_[store]);
  }

  Random random_;
  Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"}, yo{"yo"}, yi{"yi"};
  std::vector<Func> stages_;
  Func out_{"out"};
  std::vector<Var> loops_;  // innermost first
  std::size_t place_ = 0;
};

TEST(OnePlace, StagesThatSlideBesideOthers) {
  int agreed = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TrialResult result = OnePlace(seed).run();
    EXPECT_NE(result.kind, TrialResult::Kind::Failed) << "seed " << seed << ": " << result.text;
    ++(result.kind == TrialResult::Kind::Agreed ? agreed : refused);
  }
  std::printf("%d agreed, %d were refused\n", agreed, refused);
  EXPECT_GE(agreed, 20);
}

}  // namespace
}  // namespace sinter::test
