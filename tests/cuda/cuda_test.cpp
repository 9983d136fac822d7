// The CUDA runtime: what it calls and in which order, and how it says what failed.
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sinter/sinter.h>

#include "backends/driver/compile_pipeline.h"
#include "backends/driver/gpu_devices.h"
#include "backends/nvptx/cuda_machine.h"
#include "tests/cuda/driver/fake_cuda.h"

namespace sinter::test {
namespace {

using backends::make_cuda_machine;
using backends::open_cuda_driver;

const char* const Sm90 = "nvptx-sm_90a";

FakeCuda& fake() {
  static FakeCuda* const state = [] {
    void* library = dlopen(FAKE_CUDA, RTLD_NOW);
    return reinterpret_cast<FakeCudaState>(dlsym(library, "fake_cuda"))();
  }();
  return *state;
}

std::uint64_t memory_of_device_1(std::size_t bytes) {
  void* library = dlopen(FAKE_CUDA, RTLD_NOW);
  return reinterpret_cast<std::uint64_t (*)(std::size_t)>(
      dlsym(library, "fake_memory_of_device_1"))(bytes);
}

/// All pipelines of this program run on the fake device; kernels and cubins are kept in a folder of
/// their own.
class Cuda : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    if (f_.defined()) return;  // the tests are repeated
    setenv("SINTER_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("SINTER_PTXAS", "", 1);
    in_.set(counting());
    f_(x_) = in_(x_) * 2;
    f_.gpu_tile(x_, xi_, 32);
    f_.realize({64}, Sm90);  // compiled, and the device is there
  }
  void SetUp() override { fake().calls.clear(); }

 protected:
  static Buffer<int> counting() {
    Buffer<int> b(64);
    b.for_each_element([&](int i) { b(i) = i; });
    return b;
  }
  static std::vector<std::string> calls() { return std::exchange(fake().calls, {}); }
  using Calls = std::vector<std::string>;

  static inline ImageParam in_{Int(32), 1, "in"};
  static inline Var x_{"x"}, xi_{"xi"};
  static inline Func f_{"f"};
};

template <typename F>
std::string message(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was refused";
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Cuda, ResultsAreThoseOfTheKernel) {
  const Buffer<int> out = f_.realize({64}, Sm90);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out(i), 2 * i);
}

TEST_F(Cuda, ARepeatedCallIsOneLaunch) {
  Buffer<int> out(64);
  f_.realize(out, Sm90);
  calls();
  f_.realize(out, Sm90);
  EXPECT_EQ(calls(), Calls{"cuLaunchKernel"});
  EXPECT_EQ(out(5), 10);
  EXPECT_EQ(calls(), (Calls{"cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"}));
  EXPECT_EQ(out(6), 12);
  EXPECT_EQ(calls(), Calls{});
}

TEST_F(Cuda, StagesAndBorrowedMemoryComeFromThePool) {
  Func g("g"), h("h");
  g(x_) = in_(x_) + 1;
  h(x_) = g(x_) * g(63 - x_);
  g.compute_root().gpu_tile(x_, xi_, 32);
  h.gpu_tile(x_, xi_, 32);
  std::vector<int> memory(64);
  Buffer<int> out(memory.data(), 64);
  h.realize(out, Sm90);
  calls();
  h.realize(out, Sm90);
  EXPECT_EQ(calls(), (Calls{"cuLaunchKernel", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2",
                            "cuStreamSynchronize"}));
  EXPECT_EQ(memory[2], 3 * 62);
}

TEST_F(Cuda, StreamsWaitForEachOtherOnTheDeviceOnly) {
  const Stream a(Sm90), b(Sm90);
  Buffer<int> first(64), second(64);
  f_.realize(first, a);
  in_.set(first);
  f_.realize(second, b);
  calls();
  f_.realize(second, b);
  EXPECT_EQ(calls(), Calls{"cuLaunchKernel"});  // b has waited for what it reads
  in_.set(counting());
  f_.realize(first, a);  // b reads it
  const Calls made = calls();
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuStreamWaitEvent"), 1);
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuStreamSynchronize"), 0);
  EXPECT_EQ(second(3), 12);
}

TEST_F(Cuda, TheCallersStreamIsUsedAndMayGo) {
  backends::CudaStreamHandle handle = nullptr;
  const backends::CudaDriver& driver = backends::cuda_driver();
  driver.check(driver.stream_create(&handle, 0), "making a stream");
  Buffer<int> out(64);
  {
    const Stream stream = Stream::wrap(Sm90, handle);
    EXPECT_EQ(stream.handle(), handle);
    f_.realize(out, stream);
    stream.synchronize();
    f_.realize(out, stream);
    calls();
  }
  EXPECT_EQ(calls(), (Calls{"cuEventCreate", "cuEventRecord",
                            "cuStreamWaitEvent"}));  // the main stream waits
  driver.check(driver.stream_destroy(handle), "destroying it");
  EXPECT_EQ(out(9), 18);
}

TEST_F(Cuda, AReplayIsOneCall) {
  const Stream stream(Sm90);
  Buffer<int> out(64);
  Func g("g"), h("h");
  g(x_) = in_(x_) + 1;
  h(x_) = g(x_) * 2;
  g.compute_root().gpu_tile(x_, xi_, 32);
  h.gpu_tile(x_, xi_, 32);
  {
    const RecordedCall call = Pipeline(h).record(out, stream);
    calls();
    call.replay(stream);
    EXPECT_EQ(calls(), Calls{"cuGraphLaunch"});
    EXPECT_EQ(out(4), 10);
  }
  EXPECT_EQ(fake().live_graphs, 0);
}

TEST_F(Cuda, MemoryOfTheDeviceIsChecked) {
  Buffer<int> a(64);
  int* there = static_cast<int*>(a.device_data(Sm90));
  EXPECT_EQ(Buffer<int>::wrap_device(Sm90, there, {64}).extent(0), 64);
  EXPECT_SAYS(message([&] { Buffer<int>::wrap_device(Sm90, a.data(), {64}, "mine"); }),
              "memory of the host");
  EXPECT_SAYS(message([&] { Buffer<int>::wrap_device(Sm90, there, {1000}); }),
              "the allocation ends after");
  EXPECT_SAYS(message([&] {
                Buffer<int>::wrap_device(Sm90, reinterpret_cast<int*>(memory_of_device_1(256)),
                                         {64});
              }),
              "on device 1");
}

TEST_F(Cuda, TensorsOfTheDeviceGoOutAndComeBack) {
  Buffer<int> out(64);
  f_.realize(out, Sm90);
  dlpack::ManagedTensor* tensor = dlpack::export_buffer(out);
  EXPECT_EQ(tensor->dl_tensor.device.type, dlpack::DeviceType::Cuda);
  const Buffer<> back = dlpack::import_tensor(tensor, Sm90);
  EXPECT_EQ(back.copy().as<int>()(5), 10);
  EXPECT_SAYS(message([&] { back.raw_data(); }), "on a device only");
}

TEST_F(Cuda, PinnedMemoryIsWaitedForBeforeItChanges) {
  {
    const Buffer<int> pinned = Buffer<int>::make_pinned(Sm90, {64});
    EXPECT_EQ(calls(), Calls{"cuMemHostAlloc"});
    pinned.fill(4);
    Buffer<int> out(64);
    in_.set(pinned);
    f_.realize(out, Sm90);
    calls();
    EXPECT_EQ(pinned.as<const int>()(0), 4);
    EXPECT_EQ(calls(), Calls{});
    pinned(0) = 5;
    EXPECT_EQ(calls(), Calls{"cuStreamSynchronize"});
    pinned(1) = 6;
    EXPECT_EQ(calls(), Calls{});
    f_.realize(out, Sm90);
    EXPECT_EQ(out(1), 12);
    in_.set(counting());
    calls();
  }
  const Calls made = calls();
  EXPECT_EQ(std::count(made.begin(), made.end(), "cuMemFreeHost"), 1);
}

TEST_F(Cuda, NoMemoryFreesWhatIsKeptAndThenSaysSo) {
  backends::gpu_device_for(Sm90)->gpu()->pool.trim();  // what other tests left
  const std::uint64_t before = fake().memory;
  std::vector<int> memory(64);
  Buffer<int> borrowed(memory.data(), 64);
  f_.realize(borrowed, Sm90);  // its device memory is kept for the next call
  fake().memory = fake().allocated + 4096;
  Buffer<int> small(64), large(1 << 20);
  f_.realize(small, Sm90);
  EXPECT_EQ(small(1), 2);
  in_.reset();
  Buffer<int> many(1 << 20);
  many.fill(3);
  in_.set(many);
  const std::string text = message([&] { f_.realize(large, Sm90); });
  EXPECT_SAYS(text, "no memory on the device for the");
  EXPECT_SAYS(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_SAYS(text, "MiB are free");
  fake().memory = before;
  f_.realize(large, Sm90);  // the process is usable
  EXPECT_EQ(large(7), 6);
  in_.set(counting());
}

TEST_F(Cuda, LimitsOfABlockAreNamed) {
  Func g("g"), h("h");
  g(x_) = in_(x_) + 1;
  g.gpu_tile(x_, xi_, 64);
  fake().most_threads = 32;
  const int modules = fake().live_modules;
  const std::string threads = message([&] { g.realize({64}, Sm90); });
  fake().most_threads = 1024;
  EXPECT_SAYS(threads, "has 64 threads a block; with its 40 registers the device takes 32");
  EXPECT_EQ(fake().live_modules, modules);
  EXPECT_EQ(Buffer<int>(g.realize({64}, Sm90))(3), 4);

  Func big("big"), sum("sum");
  Var xo("xo"), bo("bo"), bi("bi");
  big(x_) = in_(clamp(x_, 0, 63)) * 3;
  sum(x_) = big(x_) + big(x_ + 16000);
  sum.gpu_tile(x_, xo, xi_, 64);
  big.compute_at(sum, xo).store_in(MemoryType::GPUShared).split(x_, bo, bi, 64).gpu_threads(bi);
  fake().most_shared = 50000;
  const std::string shared = message([&] { sum.realize({64}, Sm90); });
  fake().most_shared = 232448;
  EXPECT_SAYS(shared, "bytes of shared memory; the device has 50000 for a block");
  // More than 48 KiB is there for who asks.
  EXPECT_EQ(Buffer<int>(sum.realize({64}, Sm90))(3), 3 * 3 + 63 * 3);
}

TEST_F(Cuda, WithoutPtxasTheDriverSaysWhatKernelsNeed) {
  const auto compiled =
      driver::compile_pipeline(driver::resolve_pipeline({f_}, Schedule::of({f_})), Target(Sm90));
  const std::vector<backends::KernelCall> kernels = compiled.executable->kernels();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_SAYS(kernels[0].name, "k0_f");
  EXPECT_EQ(kernels[0].threads, 32);
  EXPECT_EQ(kernels[0].resources.registers, 40);
}

TEST_F(Cuda, TheFactsForTheDoctor) {
  const backends::GpuFacts facts = backends::gpu_facts();
  EXPECT_EQ(facts.cuda_driver, "CUDA 12.4");
  ASSERT_EQ(facts.devices.size(), 1u);
  EXPECT_EQ(facts.devices[0], "Fake GPU, sm_90, 4 multiprocessors, 1024 MiB");
  EXPECT_SAYS(facts.ptxas, "none");
  EXPECT_GT(facts.cache_most_bytes, 0u);
}

TEST_F(Cuda, ALaunchThatFailsIsNamedAndLeaksNothing) {
  Buffer<int> out(64);
  f_.realize(out, Sm90);
  const int allocations = fake().live_allocations;
  fake().failures["cuLaunchKernel"] = 701;
  EXPECT_SAYS(message([&] { f_.realize(out, Sm90); }), "use fewer threads a block");
  f_.realize(out, Sm90);
  EXPECT_EQ(out(5), 10);
  EXPECT_EQ(fake().live_allocations, allocations);
}

TEST_F(Cuda, AFailedRecordingEndsIt) {
  const Stream stream(Sm90);
  Buffer<int> out(64);
  fake().failures["cuLaunchKernel"] = 1;
  EXPECT_SAYS(message([&] { Pipeline(f_).record(out, stream); }), "launching");
  f_.realize(out, stream);
  EXPECT_EQ(out(5), 10);
  EXPECT_EQ(fake().live_graphs, 0);
}

TEST_F(Cuda, AFailedRecordingGivesTheMemoryOfStagesBack) {
  Func g("g"), h("h");
  g(x_) = in_(x_) + 1;
  h(x_) = g(x_) * g(63 - x_);
  g.compute_root().gpu_tile(x_, xi_, 32);
  h.gpu_tile(x_, xi_, 32);
  const Stream stream(Sm90);
  const Buffer<int> out(64);
  h.realize(out, Sm90);
  std::uint64_t held = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    fake().failures["cuStreamEndCapture"] = 1;
    EXPECT_SAYS(message([&] { Pipeline(h).record(out, stream); }), "recording a call");
    if (attempt > 0) {
      EXPECT_EQ(fake().allocated, held);
    }
    held = fake().allocated;
  }
  fake().failures.clear();
}

TEST_F(Cuda, AFaultLosesTheContextAndSaysSo) {
  Buffer<int> out(64);
  f_.realize(out, Sm90);
  out.copy_to_host();
  fake().failures["cuLaunchKernel"] = 700;
  const std::string text = message([&] { f_.realize(out, Sm90); });
  EXPECT_SAYS(text, "the device's context is lost");
  EXPECT_SAYS(text, "other processes");
  f_.realize(out, Sm90);
  fake().lost = 700;  // as the driver goes on
  EXPECT_SAYS(message([&] { out(0); }), "context is lost");
  EXPECT_SAYS(message([&] { out(0); }), "context is lost") << "never stale elements";
  EXPECT_SAYS(message([&] { Stream stream(Sm90); }), "context is lost");
  fake().lost = 0;
  EXPECT_EQ(out(5), 10);
}

TEST_F(Cuda, StreamsEventsAndMemoryAreReturned) {
  const int streams = fake().live_streams, events = fake().live_events;
  for (int i = 0; i < 10; ++i) {
    const Stream a(Sm90), b(Sm90);
    Buffer<int> out(64);
    f_.realize(out, a);
    f_.realize(out, b);
  }
  EXPECT_LE(fake().live_streams, streams + 2);  // the input remembers who read it last
  EXPECT_LE(fake().live_events, events + 3);
  Buffer<int> before(64);
  f_.realize(before, Sm90);
  const int allocations = fake().live_allocations;
  for (int i = 0; i < 10; ++i) {
    Buffer<int> out(64);
    f_.realize(out, Sm90);
  }
  EXPECT_LE(fake().live_allocations, allocations + 1);
}

TEST(CudaDriver, WhatIsMissingIsNamed) {
  EXPECT_SAYS(message([] { open_cuda_driver("libno-such-driver.so.1"); }),
              "there is no NVIDIA driver");
  EXPECT_SAYS(message([] { open_cuda_driver(FAKE_OLD_CUDA); }),
              "too old: it has no cuDriverGetVersion");
  fake().version = 11040;
  EXPECT_SAYS(message([] { open_cuda_driver(FAKE_CUDA); }), "supports CUDA 11.4; 11.8 is needed");
  fake().version = 12040;
  fake().devices = 0;
  EXPECT_SAYS(message([] { open_cuda_driver(FAKE_CUDA); }), "finds no GPU");
  fake().devices = 1;
  fake().failures["cuInit"] = 999;
  EXPECT_SAYS(message([] { open_cuda_driver(FAKE_CUDA); }), "does not start");
  const backends::CudaDriver driver = open_cuda_driver(FAKE_CUDA);
  EXPECT_SAYS(message([&] { make_cuda_machine(driver, "sm_90a", 3); }), "has 1 CUDA devices");
  fake().capability = 80;
  EXPECT_SAYS(message([&] { make_cuda_machine(driver, "sm_90a", 0); }),
              "use the target nvptx-sm_80");
  EXPECT_SAYS(make_cuda_machine(driver, "sm_75", 0)->describe(), "Fake GPU, sm_80");
  fake().capability = 90;
}

}  // namespace
}  // namespace sinter::test
