// What --check compares with where the reference evaluator would take long: the algorithm as the
// schedule's rewrites make it, each stage at root.

#include <gtest/gtest.h>

#include <sinter/diagnostic.h>
#include <sinter/registry.h>
#include <sinter/signature.h>

#include "apps/sinter/apps.h"
#include "apps/sinter/commands.h"
#include "apps/sinter/session.h"

namespace sinter::command {
namespace {

/// Sums of floats, whose bits tell the order of the steps.
struct Sums {
  BOOST_HANA_DEFINE_STRUCT(Sums, (Input<float, 2>, in), (Output<float, 1>, out));

  static PipelineInfo info() {
    return {.name = "sums",
            .description = "",
            .schedules = {"none", "root", "tuned"},
            .default_sizes = [](const Target&) { return Sizes{{"columns", 301}, {"rows", 13}}; }};
  }
  static Extents extents(const Sizes& sizes) {
    return {{"in", {sizes.at("columns"), sizes.at("rows")}}, {"out", {sizes.at("rows")}}};
  }
  static Work work(const Sizes&) { return {.operations = 1e9}; }  // none to evaluate, it says

  Var i{"i"}, j{"j"};
  RDom k;
  Func third{"third"}, sum{"sum"}, squares{"squares"};
  void algorithm() {
    k = RDom(0, in.width(), "k");
    third(i, j) = in(i, j) / 3.0f;
    sum(j) = 0.0f;
    sum(j) += third(k, j);
    squares(j) = 0.0f;
    squares(j) += third(k, j) * third(k, j);
    out(j) = sum(j) + squares(j);
  }
  void schedule(const std::string& name, const Target&) {
    if (name == "none") return;
    for (Func* f : {&third, &sum, &squares}) f->compute_root();
    if (name == "root") return;
    const RVar o("o"), n("n");
    const Var u("u"), i1("i1");
    Func parts = sum.update().split(k, o, n, 8).reorder(o, n).rfactor(n, u);
    parts.compute_root().vectorize(u, 8).update().reorder(u, o, j).vectorize(u, 8);
    sum.update().reduce_across(n, {1, 4}).compute_root();
    squares.update().reduce_across(k, {2, 8}).compute_at(squares, j).update().vectorize(i1);
    out.vectorize(j, 4);
  }
};

bool equal(const CallBuffers& a, const CallBuffers& b) {
  for (const auto& [name, buffer] : a.outputs) {
    if (difference(buffer, b.outputs.at(name)).elements != 0) return false;
  }
  return true;
}

TEST(Check, ComparesWithTheAlgorithmThatTheScheduleMakes) {
  Registry registry;
  registry.add<Sums>();
  const RegisteredPipeline& sums = *registry.find("sums");
  const Sizes sizes = sums.info.default_sizes(Target());
  const CallBuffers tuned = make_buffers(sums, sizes), simple = make_buffers(sums, sizes),
                    root = make_buffers(sums, sizes);
  Session session(sums, "tuned", Target());
  session.run(tuned);
  session.run_at_root(simple);
  Session(sums, "root", Target()).run(root);
  EXPECT_FALSE(equal(tuned, root)) << "the rewrites leave the bits: this test shows nothing";
  EXPECT_TRUE(equal(tuned, simple));

  for (const std::string& schedule : sums.info.schedules) {
    RunOptions options;
    options.pipeline = "sums";
    options.schedule = schedule;
    options.check = options.json = true;
    testing::internal::CaptureStdout();
    const int code = run(registry, options);
    const std::string row = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0) << row;
    EXPECT_NE(row.find(schedule == "root" ? R"("against":"none")" : R"("against":"root")"),
              std::string::npos)
        << row;
  }
}

TEST(Check, RefusesToCompareRootWithItself) {
  RegisteredPipeline sums = describe<Sums>();
  sums.info.schedules = {"root", "tuned"};
  Registry registry;
  registry.add(sums);
  RunOptions options;
  options.pipeline = "sums";
  options.schedule = "root";
  options.check = true;
  try {
    run(registry, options);
    FAIL() << "no refusal";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.diagnostic().directive, "--check");
    EXPECT_EQ(error.diagnostic().remedy, "give a smaller --size");
  }
}

TEST(Check, TakesRewritesThatFollowEachOther) {
  const Registry registry = apps::all_apps();
  const RegisteredPipeline& pipeline = *registry.find("rmsnorm_backward");
  Sizes sizes = pipeline.info.default_sizes(Target());
  sizes.at("rows") = 19;
  const CallBuffers tuned = make_buffers(pipeline, sizes), simple = make_buffers(pipeline, sizes);
  Session session(pipeline, "tuned", Target());
  session.run(tuned);
  session.run_at_root(simple);
  EXPECT_TRUE(equal(tuned, simple));
}

}  // namespace
}  // namespace sinter::command
