// The smallest programs that random testing has shown to be wrong, each with the schedule that did it.

#include <gtest/gtest.h>

#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/entities.h"
#include "dsl/schedule/fluent.h"
#include "tests/property/trial.h"

namespace sinter::test {
namespace {

/// The outputs over their boxes under their default schedules, in all the ways of run_trial.
std::string failure(const std::vector<Func>& outputs, const std::vector<std::vector<Extent>>& boxes) {
  Instance instance;
  instance.algorithm = collect(outputs);
  instance.schedule = schedule::schedule_of(outputs);
  instance.boxes = boxes;
  instance.data_seed = 1;
  const TrialResult result = run_trial(instance);
  if (result.kind == TrialResult::Kind::Agreed) return "";
  return result.kind == TrialResult::Kind::Failed ? result.text : "refused: " + to_string(result.refusal);
}

Var x("x"), y("y"), z("z");

TEST(Regressions, InlineStageWithUpdatesInsideAnotherUseOfItself) {
  Func s("s"), t("t"), out("out");
  RDom r(2, 3, "r");
  s(x, y) = x + y;
  s(x, y) = s(x, y) * 2 + r;
  t(x, y) = s(x, y);
  t(x, y) += 1;
  out(x) = t(x, x) * s(0, 0);
  EXPECT_EQ(failure({out}, {{{0, 7}}}), "");
}

TEST(Regressions, StorageIsFreedAfterTheLetsThatReadIt) {
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  s(x) = 6 + x;
  s(r) += 1;
  out(x) = Tuple(u64(s(x)), i32(x));
  EXPECT_EQ(failure({out}, {{{0, 5}}}), "");
}

TEST(Regressions, FloatsSaturateWhereIntegersWrap) {
  ImageParam in(Int(32), 1, "in");
  Func out("out");
  out(x) = i8(f64(in(x)));
  EXPECT_EQ(failure({out}, {{{0, 40}}}), "");
}

TEST(Regressions, CopiesOfALetAreWidenedApart) {
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  s(x) = 6 + x;
  s(r) += 1;
  out(x, y) = Tuple(i16(s(x)), f32(x) + y);
  out.vectorize(y, 8);
  EXPECT_EQ(failure({out}, {{{0, 5}, {0, 11}}}), "");
}

TEST(Regressions, LanesWithStorageOfTheirOwn) {
  ImageParam in(Int(32), 1, "in");
  Func s("s"), out("out");
  RDom r(0, 3, "r");
  r.where(r > 5);
  s(x) = in(x);
  s(r) = 0;
  out(x, y) = u16(s(y));
  out.vectorize(x, 24);
  EXPECT_EQ(failure({out}, {{{0, 1}, {0, 1}}}), "");
}

}  // namespace
}  // namespace sinter::test
