// Every pipeline under every schedule of its own, at sizes that no tile divides, equals the
// reference evaluator bit for bit.

#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "apps/sinter/apps.h"
#include "apps/sinter/session.h"
#include "apps/sinter/sizes.h"

namespace sinter::command {
namespace {

/// Step 0 has whole tiles and remainders of every schedule, step 1 less than one tile.
Sizes small_sizes(const RegisteredPipeline& pipeline, int step) {
  const Sizes some = {{"width", 37},     {"height", 23}, {"batch", 2},   {"inputs", 3},
                      {"outputs", 70},   {"m", 29},      {"n", 70},      {"k", 11},
                      {"columns", 2100}, {"rows", 3},    {"length", 300}};
  Sizes sizes = pipeline.info.default_sizes(Target());
  for (auto& [name, value] : sizes) {
    const bool fixed = name == "columns" && pipeline.info.name.ends_with("_8192");
    if (!fixed) value = step == 0 ? some.at(name) : 3;
  }
  return sizes;
}

class Apps : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

void expect_reference(const std::string& name, const std::string& schedule, const Target& target) {
  const Registry registry = apps::all_apps();
  const RegisteredPipeline& pipeline = *registry.find(name);
  Session session(pipeline, schedule, target);
  for (const auto& [parameter, value] : pipeline.info.parameters)
    session.set_parameter(parameter, value);
  for (const int step : {0, 1}) {
    const Sizes sizes = small_sizes(pipeline, step);
    const CallBuffers buffers = make_buffers(pipeline, sizes);
    CallBuffers wanted{.inputs = buffers.inputs, .outputs = {}};
    for (const auto& [field, buffer] : buffers.outputs)
      wanted.outputs[field] = Buffer<>::make_with_shape_of(buffer);
    session.run(buffers);
    session.evaluate(wanted);
    for (const auto& [field, buffer] : buffers.outputs) {
      const Difference found = difference(buffer, wanted.outputs.at(field));
      EXPECT_EQ(found.elements, 0u)
          << field << " at " << to_string(sizes) << ", first at " << found.first;
    }
  }
}

TEST_P(Apps, EqualTheReference) {
  const auto& [name, schedule] = GetParam();
  expect_reference(name, schedule, Target());
}

/// The GPU's default schedule, which is right at sizes that it was not made for.
class DefaultSchedules : public testing::TestWithParam<std::string> {};

TEST_P(DefaultSchedules, EqualTheReferenceOnTheEmulator) {
  expect_reference(GetParam(), "auto", Target("emulated-nvptx-sm_90a"));
  expect_reference(GetParam(), "auto_rewrites", Target("emulated-nvptx-sm_90a"));
}

std::vector<std::string> all_names() {
  std::vector<std::string> all;
  const Registry registry = apps::all_apps();
  for (const RegisteredPipeline& pipeline : registry.pipelines()) {
    if (!pipeline.info.name.ends_with("_8192")) all.push_back(pipeline.info.name);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, DefaultSchedules, testing::ValuesIn(all_names()),
                         [](const auto& test) { return test.param; });

/// Those with a schedule for GPUs.
class GpuApps : public testing::TestWithParam<std::string> {};

TEST_P(GpuApps, EqualTheReferenceOnTheEmulator) {
  expect_reference(GetParam(), "tuned", Target("emulated-nvptx-sm_90a"));
}

INSTANTIATE_TEST_SUITE_P(All, GpuApps,
                         testing::Values("blur", "unsharp", "histogram", "bilateral_grid", "conv2d",
                                         "copy", "copy3", "gelu", "gelu_fast", "chain10",
                                         "chain10_fast", "softmax", "softmax_fast", "rmsnorm",
                                         "rmsnorm_fast", "layernorm", "layernorm_fast",
                                         "softmax_fast_8192", "rmsnorm_8192", "layernorm_fast_8192",
                                         "reduce", "transpose", "transpose_f32", "scan", "scan_i32",
                                         "rmsnorm_backward", "layernorm_backward"));

std::vector<std::tuple<std::string, std::string>> all_schedules() {
  std::vector<std::tuple<std::string, std::string>> all;
  const Registry registry = apps::all_apps();
  for (const RegisteredPipeline& pipeline : registry.pipelines()) {
    for (const std::string& schedule : pipeline.info.schedules)
      all.emplace_back(pipeline.info.name, schedule);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Apps, testing::ValuesIn(all_schedules()), [](const auto& test) {
  return std::get<0>(test.param) + "_" + std::get<1>(test.param);
});

TEST(Session, ASchedulePrintedAndReadAgainIsTheSame) {
  const Registry registry = apps::all_apps();
  for (const RegisteredPipeline& pipeline : registry.pipelines()) {
    const std::string text = Session(pipeline, "tuned", Target()).emit("schedule");
    EXPECT_FALSE(text.empty()) << pipeline.info.name;
    const std::string path = testing::TempDir() + pipeline.info.name + ".sched";
    std::ofstream(path) << text;
    Session again(pipeline, path, Target());
    EXPECT_EQ(again.emit("schedule"), text);
    EXPECT_EQ(again.emit("loops"), Session(pipeline, "tuned", Target()).emit("loops"));
  }
}

TEST(Session, StagesThatATextMakesRunOnAGpu) {
  const Registry registry = apps::all_apps();
  const RegisteredPipeline& pipeline = *registry.find("rmsnorm_backward");
  const Target target("emulated-nvptx-sm_90a");
  const std::string path = testing::TempDir() + "rmsnorm_backward_gpu.sched";
  std::ofstream(path) << Session(pipeline, "tuned", target).emit("schedule");
  Session(pipeline, path, target).compile();
}

TEST(Session, RefusesAnUnknownSchedule) {
  const Registry registry = apps::all_apps();
  EXPECT_THROW(Session(*registry.find("blur"), "fastest", Target()), RuntimeError);
}

}  // namespace
}  // namespace sinter::command
