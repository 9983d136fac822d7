// Pipelines through a backend that is not the host.

#include <thread>

#include <gtest/gtest.h>

#include <sinter/sinter.h>

#include "backends/driver/compile_pipeline.h"
#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/collect.h"
#include "dsl/lowering/passes.h"
#include "tests/unit/driver/text_backend.h"

namespace sinter::test {
namespace {

using backends::CompiledModule;

/// out(x, y) = twice a row's sum of three, by a stage at root; `scale` is a parameter.
struct Example {
  Var x{"x"}, y{"y"};
  ImageParam in{Int(32), 2, "in"};
  Param<int> scale{"scale"};
  Func sum{"sum"}, out{"out"};
  Example() {
    sum(x, y) = in(x - 1, y) + in(x, y) + in(x + 1, y);
    out(x, y) = scale * sum(x, y);
    sum.compute_root().vectorize(x, 4);
    out.parallel(y);
  }

  ir::Module lowered() const {
    return lowering::lower(driver::resolve_pipeline({out}, Schedule::of({out})));
  }

  static Buffer<int> input() {
    Buffer<int> b(12, 5);
    b.set_min(-1, 0);
    b.for_each_element([&](int i, int j) { b(i, j) = i * i - 7 * j; });
    return b;
  }

  ir::Arguments bind(const CompiledModule& module, const Buffer<int>& given,
                     const Buffer<int>& result) const {
    const Collection c = collect_all({out});
    ir::Arguments arguments;
    arguments.buffers[c.images.at(0)->id] = view_of(given);
    arguments.scalars[c.parameters.at(0)->id] = ir::Scalar::of_integer(Int(32), 3);
    for (const ir::Argument& a : module.arguments) {
      if (a.kind == ir::Argument::Kind::Output) arguments.buffers[a.symbol] = view_of(result);
    }
    return arguments;
  }
};

TEST(TextBackend, GivesTheHostsResult) {
  Example e;
  const TextBackend backend;
  const CompiledModule module = backend.compile(e.lowered(), Target(), {.listings = true});
  EXPECT_NE(module.listings.at("ir"), "");
  const auto device = backend.default_device(Target());
  const auto executable = device->load(module);
  const Buffer<int> in = Example::input();
  Buffer<int> got(10, 5);
  executable->launch(e.bind(module, in, got), nullptr);

  e.in.set(in);
  e.scale.set(3);
  Buffer<int> wanted = e.out.realize({10, 5});
  wanted.for_each_element(
      [&](int i, int j) { EXPECT_EQ(got(i, j), wanted(i, j)) << i << ", " << j; });
}

TEST(TextBackend, ModulesHaveKernelsThatRunInOrderOnAStream) {
  Example e;
  const TextBackend backend;
  const CompiledModule module = backend.compile(e.lowered(), Target(), {});
  ASSERT_GE(module.kernels.size(), 2u);  // the checks, and what they guard
  const auto device = backend.default_device(Target());
  const auto executable = device->load(module);
  const auto stream = device->make_stream();
  const Buffer<int> in = Example::input();
  Buffer<int> got(10, 5);
  got.fill(-1);
  executable->launch(e.bind(module, in, got), stream.get());
  EXPECT_EQ(waiting(*stream), module.kernels.size());
  EXPECT_TRUE(got.all_equal(-1));  // nothing has run
  stream->synchronize();
  EXPECT_EQ(waiting(*stream), 0u);
  EXPECT_EQ(got(2, 1), 3 * (1 + 4 + 9 - 21));
}

TEST(TextBackend, AChecksRefusalArrivesWhereTheStreamIsWaitedFor) {
  Example e;
  const TextBackend backend;
  const CompiledModule module = backend.compile(e.lowered(), Target(), {});
  const auto device = backend.default_device(Target());
  const auto executable = device->load(module);
  const auto stream = device->make_stream();
  const Buffer<int> small(3, 5);
  Buffer<int> got(10, 5);
  executable->launch(e.bind(module, small, got), stream.get());
  EXPECT_THROW(stream->synchronize(), RuntimeError);
}

TEST(TextBackend, TheDeviceTakesTheNewestVariantThatItCanRun) {
  Example e;
  const TextBackend backend;
  CompiledModule module = backend.compile(e.lowered(), Target(), {});
  // Spoil one variant of each kernel: who loads it notices.
  CompiledModule old_spoilt = module, new_spoilt = module;
  for (backends::Kernel& k : old_spoilt.kernels) k.variants[0].bytes = "nothing";
  for (backends::Kernel& k : new_spoilt.kernels) k.variants[1].bytes = "nothing";
  EXPECT_NO_THROW(TextDevice(2).load(old_spoilt));
  EXPECT_ANY_THROW(TextDevice(2).load(new_spoilt));
  EXPECT_NO_THROW(TextDevice(1).load(new_spoilt));
  EXPECT_ANY_THROW(TextDevice(1).load(old_spoilt));
  EXPECT_THROW(TextDevice(0).load(module), DeviceError);
}

TEST(TextBackend, OneModuleIsLoadedTwiceAndLaunchedFromSeveralThreads) {
  Example e;
  const TextBackend backend;
  const CompiledModule module = backend.compile(e.lowered(), Target(), {});
  const auto device = backend.default_device(Target());
  const auto first = device->load(module), second = device->load(module);
  const Buffer<int> in = Example::input();
  std::vector<Buffer<int>> results;
  std::vector<ir::Arguments> arguments;
  for (int i = 0; i < 4; ++i) {
    results.emplace_back(10, 5);
    arguments.push_back(e.bind(module, in, results.back()));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] { (i % 2 == 0 ? first : second)->launch(arguments[i], nullptr); });
  }
  for (std::thread& t : threads) t.join();
  for (const Buffer<int>& result : results) EXPECT_EQ(result(9, 4), 3 * (64 + 81 + 100 - 84));
}

}  // namespace
}  // namespace sinter::test
