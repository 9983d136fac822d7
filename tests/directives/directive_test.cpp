#include "tests/directives/directive_test.h"

#include <cstring>

#include "dsl/schedule/fluent.h"
#include "dsl/schedule/schedule_text.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {

namespace {

std::string short_text(const Diagnostic& d) {
  EXPECT_FALSE(d.remedy.empty()) << to_string(d);
  EXPECT_NE(d.file.find("_test.cpp"), std::string::npos) << to_string(d);
  EXPECT_GT(d.line, 0u);
  return d.stage + ": " + d.directive + ": " + d.reason;
}

schedule::ScheduledPipeline resolved(const std::vector<Func>& outputs) {
  return schedule::resolve(collect(outputs), schedule::schedule_of(outputs), "test");
}

}  // namespace

std::string nest(const std::vector<Func>& outputs) { return loop_nest(resolved(outputs)); }

std::string refusal(const std::vector<Func>& outputs) {
  const auto problem = schedule::refusal_of(collect(outputs), schedule::schedule_of(outputs));
  return problem ? short_text(*problem) : std::string();
}

std::string refusal_of(const std::function<void()>& directive) {
  try {
    directive();
  } catch (const ScheduleError& error) {
    return short_text(error.diagnostic());
  }
  return std::string();
}

std::string text(const std::vector<Func>& outputs) {
  const Algorithm algorithm = collect(outputs);
  const std::string written = to_string(schedule::schedule_of(outputs), algorithm);
  const auto parsed = schedule::parse_schedule(written, algorithm, "round trip");
  EXPECT_EQ(to_string(parsed, algorithm), written);
  EXPECT_EQ(loop_nest(schedule::resolve(algorithm, parsed, "test")), nest(outputs));
  return written;
}

void expect_same_results(const std::vector<Func>& outputs, const std::vector<int>& sizes) {
  EXPECT_EQ(compare_all(resolved(outputs), outputs, sizes), "");
  const Algorithm algorithm = collect(outputs);
  schedule::Schedule root;
  for (const StageDefinition& s : algorithm.stages) {
    root.entries.push_back({{s.id, 0}, schedule::ComputeRoot{}, {}, {}});
  }
  const auto plain = schedule::resolve(algorithm, root, "plain").algorithm;
  const auto expected = make_outputs(outputs, sizes), got = make_outputs(outputs, sizes);
  evaluate(plain, bind(plain, {}, expected));
  const auto scheduled = resolved(outputs).algorithm;
  evaluate(scheduled, bind(scheduled, {}, got));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(bytes_of(expected[i]), bytes_of(got[i])) << "the rewritten algorithm differs";
  }
}

}  // namespace sinter::test
