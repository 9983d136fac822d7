// Kernels of the compiler with one thing taken away: the emulator says what is missing.
#include "backends/driver/compile_pipeline.h"
#include "dsl/lowering/passes.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

/// What the emulated device says about the pipeline after `damage`; empty: nothing.
std::string report(const std::vector<Func>& outputs, const std::vector<int>& sizes,
                   const std::vector<ImageParam>& inputs, ir::Ref (*damage)(const ir::Ref&)) {
  const Target target("emulated-nvptx-sm_90a");
  const auto scheduled = driver::resolve_pipeline(outputs, Schedule::of(outputs));
  ir::Module module = lowering::lower(scheduled);
  module.body = ir::rewrite(module.body, damage);
  const backends::Backend& backend = backends::backend_for(target);
  const auto executable = backend.default_device(target)->load(backend.compile(module, target, {}));
  Inputs given;
  for (const ImageParam& image : inputs) given.images.emplace_back(image, image.get());
  const std::vector<Buffer<>> results = make_outputs(outputs, sizes);
  try {
    executable->launch(test::bind(scheduled.algorithm, given, results), nullptr);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

ir::Ref as_it_is(const ir::Ref& n) { return n; }
ir::Ref without_barriers(const ir::Ref& n) {
  return n->op == ir::Op::Barrier ? ir::block({}).node() : n;
}
/// Conditions on the thread's number alone: which threads of the block take part.
ir::Ref without_guards(const ir::Ref& n) {
  return n->op == ir::Op::If && n->args.size() == 2 ? n->args[1] : n;
}
ir::Ref without_stores_of_stages(const ir::Ref& n) {
  return n->op == ir::Op::Store && n->symbol.name().starts_with("stage") ? ir::block({}).node() : n;
}

struct Blurred {
  Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"};
  ImageParam in = random_image(Int(32), {70, 4});
  Func stage{"stage"}, out{"out"};
  unsigned line = 0;  // of stage; out's is the next
  Blurred() {
    line = __LINE__ + 1;
    stage(x, y) = in(x, y) * 2;
    out(x, y) = stage(x, y) + stage(x + 3, y);
    out.split(x, xo, xi, 64).gpu_blocks(xo, y).gpu_threads(xi);
    stage.compute_at(out, xo).store_in(MemoryType::GPUShared).gpu_threads(x);
  }
  std::string with(ir::Ref (*damage)(const ir::Ref&)) {
    return report({out}, {67, 4}, {in}, damage);
  }
};

TEST(PlantedFaults, NothingIsWrongAsItIs) { EXPECT_EQ(Blurred().with(as_it_is), ""); }

TEST(PlantedFaults, AReportNamesStageAndLineOfTheUser) {
  Blurred pipeline;
  const std::string said = pipeline.with(without_barriers);
  EXPECT_NE(said.find("(out, "), std::string::npos) << said;
  EXPECT_NE(said.find("planted_faults_test.cpp:" + std::to_string(pipeline.line + 1) + ")"),
            std::string::npos)
      << said;
}

TEST(PlantedFaults, AMissingBarrierIsARace) {
  EXPECT_NE(Blurred().with(without_barriers).find("race"), std::string::npos);
}

TEST(PlantedFaults, AMissingGuardLeavesTheBuffers) {
  EXPECT_NE(Blurred().with(without_guards).find("out of bounds"), std::string::npos);
}

TEST(PlantedFaults, AStageThatIsNeverWrittenIsUndefined) {
  EXPECT_NE(Blurred().with(without_stores_of_stages), "");
}

}  // namespace
}  // namespace sinter::test
