// Which side of a Buffer is newer, and what goes over when.
#include <array>
#include <atomic>
#include <thread>

#include <sinter/sinter.h>
#include <sinter/stream.h>

#include "tests/gpu/gpu_test.h"

namespace sinter::test {
namespace {

Func doubled(const ImageParam& in) {
  Var x("x"), xi("xi");
  Func f("f");
  f(x) = in(x) * 2;
  f.gpu_tile(x, xi, 32);
  return f;
}

Buffer<int> counting(int n, int start = 0) {
  Buffer<int> b(n);
  b.for_each_element([&](int i) { b(i) = start + i; });
  return b;
}

template <typename F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.diagnostic().reason;
  }
  return "";
}

TEST(Residency, ResultsStayOnTheDeviceUntilTheyAreRead) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(100);
  Buffer<int> out(100);
  in.set(a);
  EXPECT_FALSE(a.has_device_allocation());
  doubled(in).realize(out, gpu_target());
  EXPECT_TRUE(out.device_dirty());
  EXPECT_FALSE(out.host_dirty());
  EXPECT_FALSE(a.host_dirty());  // both sides are current
  EXPECT_FALSE(a.device_dirty());
  EXPECT_EQ(out.as<const int>()(99), 198);
  EXPECT_FALSE(out.device_dirty());
  EXPECT_FALSE(out.host_dirty());  // a look does not change it
  EXPECT_EQ(out(98), 196);
  EXPECT_TRUE(out.host_dirty());  // this access could have
}

TEST(Residency, RealizeOfSizesCopiesBack) {
  ImageParam in(Int(32), 1);
  in.set(counting(100));
  const Buffer<int> out = doubled(in).realize({100}, gpu_target());
  EXPECT_FALSE(out.device_dirty());
  EXPECT_TRUE(out.has_device_allocation());
  EXPECT_EQ(out(7), 14);
}

TEST(Residency, AChangeHereGoesOver) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(100);
  Buffer<int> out(100);
  in.set(a);
  Func f = doubled(in);
  f.realize(out, gpu_target());
  a(5) = 1000;
  f.realize(out, gpu_target());
  EXPECT_EQ(out(5), 2000);
  int* kept = a.data();
  f.realize(out, gpu_target());
  kept[6] = 3000;
  a.set_host_dirty();
  f.realize(out, gpu_target());
  EXPECT_EQ(out(6), 6000);
  a.fill(1);
  f.realize(out, gpu_target());
  EXPECT_TRUE(out.all_equal(2));
}

TEST(Residency, ResultsFeedTheNextCallWithoutComingBack) {
  ImageParam in(Int(32), 1);
  Buffer<int> a = counting(64), b(64);
  Func f = doubled(in);
  for (int i = 0; i < 3; ++i) {
    in.set(a);
    f.realize(b, gpu_target());
    std::swap(a, b);
    EXPECT_TRUE(a.device_dirty());
  }
  EXPECT_EQ(a(10), 80);
}

TEST(Residency, ViewsShareIt) {
  ImageParam in(Int(32), 1);
  in.set(counting(50));
  Buffer<int> all(100);
  all.fill(-1);
  Buffer<int> part = all.cropped(0, 20, 50);
  part.set_min(0);
  doubled(in).realize(part, gpu_target());
  EXPECT_TRUE(all.device_dirty());
  EXPECT_EQ(all(19), -1);
  EXPECT_EQ(all(20), 0);
  EXPECT_EQ(all(69), 98);
  EXPECT_EQ(all(70), -1);
}

TEST(Residency, BorrowedMemoryIsAlwaysCurrentHere) {
  ImageParam in(Int(32), 1);
  std::array<int, 64> from{}, to{};
  in.set(Buffer<int>(from.data(), 64));
  Buffer<int> out(to.data(), 64);
  Func f = doubled(in);
  for (int round = 1; round < 3; ++round) {
    from.fill(round);
    f.realize(out, gpu_target());
    EXPECT_EQ(to[63], 2 * round);
    EXPECT_FALSE(out.has_device_allocation());
  }
  out.copy_to_device(gpu_target());
  f.realize(out, gpu_target());
  EXPECT_TRUE(out.device_dirty());
  out.device_free();
  EXPECT_EQ(to[0], 4);
}

TEST(Residency, GapsOfBorrowedMemoryStayTheCallers) {
  ImageParam in(Int(32), 2);
  std::array<int, 60> to{};
  to.fill(7);
  Buffer<int> a(4, 5);
  a.fill(3);
  in.set(a);
  Buffer<int> out(to.data(), std::vector<BufferDimension>{{0, 4, 1}, {0, 5, 12}});
  Var x("x"), y("y"), xi("xi"), yi("yi");
  Func f("f");
  f(x, y) = in(x, y) + 1;
  f.gpu_tile(x, y, xi, yi, 4, 2);
  f.realize(out, gpu_target());
  for (int i = 0; i < 60; ++i) EXPECT_EQ(to[static_cast<std::size_t>(i)], i % 12 < 4 ? 4 : 7) << i;
  EXPECT_NE(refusal([&] { out.copy_to_device(gpu_target()); }).find("gaps"), std::string::npos);
  const Buffer<int> repeated(to.data(), std::vector<BufferDimension>{{0, 2, 0}, {0, 2, 3}});
  EXPECT_NE(refusal([&] { repeated.copy_to_device(gpu_target()); }).find("gaps"),
            std::string::npos);
}

TEST(Residency, HostAndDeviceTargetsTakeTurns) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(40);
  Buffer<int> b(40), c(40);
  in.set(a);
  Var x("x");
  Func on_host("on_host");
  on_host(x) = in(x) + 1;
  doubled(in).realize(b, gpu_target());
  in.set(b);
  on_host.realize(c);
  EXPECT_EQ(c(39), 79);
  EXPECT_FALSE(b.device_dirty());
}

TEST(Residency, StagesOnTheHostSeeAndChangeWhatKernelsSee) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(64);
  in.set(a);
  Var x("x"), xi("xi");
  Func f("f"), g("g"), h("h");
  f(x) = in(x) + 1;
  g(x) = f(x) * 2;
  h(x) = g(x) + in(x);
  f.compute_root().gpu_tile(x, xi, 32);
  g.compute_root();
  h.compute_root().gpu_tile(x, xi, 32);
  Buffer<int> out_g(64), out_h(64);
  Pipeline both({g, h});
  for (int round = 0; round < 2; ++round) {
    both.realize(Realization({out_g, out_h}), gpu_target());
    EXPECT_EQ(out_g(3), 2 * (a(3) + 1));
    EXPECT_EQ(out_h(3), 2 * (a(3) + 1) + a(3));
    a(3) = 100;
  }
}

TEST(Residency, PartsOfOneMemoryInOneCall) {
  // The host's stage writes one half, a kernel the other.
  ImageParam in(Int(32), 1);
  in.set(counting(32));
  Var x("x"), xi("xi");
  Func f("f"), g("g");
  f(x) = in(x) + 1;
  g(x) = in(x) + 2;
  f.gpu_tile(x, xi, 32);
  Buffer<int> all(64);
  Buffer<int> first = all.cropped(0, 0, 32), second = all.cropped(0, 32, 32);
  second.set_min(0);
  Pipeline({f, g}).realize(Realization({first, second}), gpu_target());
  EXPECT_EQ(all(31), 32);
  EXPECT_EQ(all(32), 2);
  EXPECT_EQ(all(63), 33);
}

TEST(Residency, FreeingBringsBackWhatIsNewer) {
  ImageParam in(Int(32), 1);
  in.set(counting(64));
  Buffer<int> out(64);
  doubled(in).realize(out, gpu_target());
  out.device_free();
  EXPECT_FALSE(out.has_device_allocation());
  EXPECT_EQ(out(63), 126);
  out.device_free();  // nothing left to free
}

TEST(Residency, ContradictionsAreRefused) {
  ImageParam in(Int(32), 1);
  in.set(counting(64));
  Buffer<int> out(64);
  EXPECT_NE(refusal([&] { out.set_device_dirty(); }).find("no memory on a device"),
            std::string::npos);
  doubled(in).realize(out, gpu_target());
  EXPECT_NE(refusal([&] { out.set_host_dirty(); }).find("are newer"), std::string::npos);
  EXPECT_NE(refusal([&] { out.copy_to_device(Target()); }).find("no device"), std::string::npos);
}

TEST(WrapDevice, MemoryOfTheDeviceIsUsedInPlace) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(64);
  Buffer<int> b(64);
  in.set(
      Buffer<int>::wrap_device(gpu_target(), static_cast<int*>(a.device_data(gpu_target())), {64}));
  Buffer<int> out = Buffer<int>::wrap_device(
      gpu_target(), static_cast<int*>(b.device_data(gpu_target())), {64}, "out");
  doubled(in).realize(out, gpu_target());
  EXPECT_EQ(out.copy()(5), 10);
  EXPECT_EQ(out.cropped(0, 6, 2).copy()(7), 14);
  b.set_device_dirty();
  EXPECT_EQ(b(63), 126);
  EXPECT_NE(refusal([&] { out(0); }).find("on a device only"), std::string::npos);
  EXPECT_NE(refusal([&] { out.fill(0); }).find("on a device only"), std::string::npos);
  EXPECT_NE(refusal([&] { out.copy_to_host(); }).find("on a device only"), std::string::npos);
}

TEST(WrapDevice, AddressesAreChecked) {
  Buffer<int> a(64);
  int* there = static_cast<int*>(a.device_data(gpu_target()));
  EXPECT_NE(refusal([&] { Buffer<int>::wrap_device(gpu_target(), a.data(), {64}); }), "");
  EXPECT_NE(refusal([&] { Buffer<int>::wrap_device(gpu_target(), there, {1 << 20}); }), "");
  EXPECT_NE(refusal([&] {
              Buffer<int>::wrap_device(
                  gpu_target(), reinterpret_cast<int*>(reinterpret_cast<char*>(there) + 2), {8});
            }).find("multiple"),
            std::string::npos);
  EXPECT_NE(refusal([&] { Buffer<int>::wrap_device(Target(), there, {64}); }).find("no device"),
            std::string::npos);
}

TEST(WrapDevice, AStageOnTheHostCannotUseIt) {
  ImageParam in(Int(32), 1);
  Buffer<int> a(64), b(64);
  a.fill(1);
  in.set(
      Buffer<int>::wrap_device(gpu_target(), static_cast<int*>(a.device_data(gpu_target())), {64}));
  Var x("x"), xi("xi");
  Func f("f"), g("g");
  f(x) = in(x) + 1;
  f.compute_root();
  g(x) = f(x) * 2;
  g.gpu_tile(x, xi, 32);
  EXPECT_NE(refusal([&] { g.realize(b, gpu_target()); }).find("on a device only"),
            std::string::npos);
  EXPECT_NE(refusal([&] { f.realize(b); }).find("on a device only"), std::string::npos);
}

TEST(WrapDevice, ViewsThatAreNotAlignedForVectorsAreRight) {
  ImageParam in(Float(32), 1);
  Var x("x"), v("v"), xi("xi");
  Func f("f");
  f(x) = in(x) * 2.0f;
  f.split(x, x, v, 4).vectorize(v).gpu_tile(x, xi, 32);
  Buffer<float> a(260), out(256);
  a.for_each_element([&](int i) { a(i) = float(i); });
  float* there = static_cast<float*>(a.device_data(gpu_target()));
  for (int shift = 0; shift < 4; ++shift) {
    in.set(Buffer<float>::wrap_device(gpu_target(), there + shift, {256}));
    f.realize(out, gpu_target());
    for (int i = 0; i < 256; ++i) ASSERT_EQ(out(i), 2.0f * float(i + shift)) << shift;
  }
  // The same of memory here: its copy there is as far from a multiple of 16 bytes as it is here.
  alignas(16) std::array<float, 264> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = float(i);
  Buffer<float> odd(memory.data() + 1, 263);
  odd.copy_to_device(gpu_target());
  for (int shift = 0; shift < 4; ++shift) {
    Buffer<float> part = odd.cropped(0, shift, 256);
    part.set_min(0);
    in.set(part);
    f.realize(out, gpu_target());
    for (int i = 0; i < 256; ++i) ASSERT_EQ(out(i), 2.0f * float(i + shift + 1)) << shift;
  }
}

TEST(Residency, EmptyBuffers) {
  ImageParam in(Int(32), 1);
  in.set(counting(10));
  Buffer<int> none(0);
  doubled(in).realize(none, gpu_target());
  none.copy_to_device(gpu_target());
  none.copy_to_host();
  none.device_free();
  EXPECT_EQ(doubled(in).realize({0}, gpu_target()).number_of_elements(), 0u);
}

TEST(Streams, CallsAreEnqueuedInOrder) {
  ImageParam in(Int(32), 1);
  Buffer<int> a = counting(64), b(64), c(64);
  const Stream stream(gpu_target()), other(gpu_target());
  Func f = doubled(in);
  in.set(a);
  f.realize(b, stream);
  in.set(b);
  f.realize(c, other);  // waits for what it reads
  stream.synchronize();
  EXPECT_EQ(c(7), 28);
  const Buffer<int> made = f.realize({64}, stream);
  EXPECT_TRUE(made.device_dirty());
  made.device_sync();
  EXPECT_EQ(made(7), 28);
}

TEST(Streams, ThreadsShareInputsAndPipelines) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(64);
  in.set(a);
  Var x("x"), xi("xi");
  Func f("f"), g("g");
  f(x) = in(x) + 1;
  g(x) = f(x) * f(63 - x);
  f.compute_root().gpu_tile(x, xi, 32);
  g.gpu_tile(x, xi, 32);
  Pipeline pipeline(g);
  pipeline.compile(gpu_target());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Stream stream(gpu_target());
      for (int round = 0; round < 10; ++round) {
        Buffer<int> out(64);
        if (t % 2 == 0) pipeline.realize(out, stream);
        else pipeline.realize(out, gpu_target());
        for (int i = 0; i < 64; ++i) wrong += out(i) != (i + 1) * (64 - i);
        wrong += a.as<const int>()(round) != round;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RecordedCalls, ReplaysSeeTheBuffersAsTheyAre) {
  ImageParam in(Int(32), 1);
  const Buffer<int> a = counting(64);
  Buffer<int> out(64);
  in.set(a);
  Var x("x"), xi("xi");
  Func f("f"), g("g");
  f(x) = in(x) + 1;
  g(x) = f(x) * 2 + f(63 - x);
  f.compute_root().gpu_tile(x, xi, 32);
  g.gpu_tile(x, xi, 32);
  const Stream stream(gpu_target()), other(gpu_target());
  out.fill(0);
  const RecordedCall call = Pipeline(g).record(out, stream);
  EXPECT_TRUE(out.all_equal(0)) << "recording runs nothing";
  for (int round = 0; round < 3; ++round) {
    a(3) = round;
    call.replay(round == 1 ? other : stream);
    EXPECT_TRUE(out.device_dirty());
    EXPECT_EQ(out(3), 2 * (round + 1) + 61);
  }
  out.device_free();
  EXPECT_NE(refusal([&] { call.replay(stream); }).find("not that of the recording"),
            std::string::npos);
}

TEST(RecordedCalls, WhatCannotBeRecordedIsRefused) {
  ImageParam in(Int(32), 1);
  in.set(counting(64));
  std::array<int, 64> borrowed{};
  const Stream stream(gpu_target());
  EXPECT_NE(refusal([&] {
              Pipeline(doubled(in)).record(Buffer<int>(borrowed.data(), 64), stream);
            }).find("borrows"),
            std::string::npos);
  Var x("x"), xi("xi");
  Func f("f"), g("g");
  f(x) = in(x) + 1;
  f.compute_root();
  g(x) = f(x) * 2;
  g.gpu_tile(x, xi, 32);
  EXPECT_NE(refusal([&] { Pipeline(g).record(Buffer<int>(64), stream); }).find("host"),
            std::string::npos);
  Func h("h"), k("k");
  h(x) = in(x) + 1;
  h.compute_root().gpu_tile(x, xi, 32);
  Func middle("middle");
  middle(x) = h(x) * 2;
  middle.compute_root();
  k(x) = middle(x) + 1;
  k.gpu_tile(x, xi, 32);
  EXPECT_NE(refusal([&] {
              Pipeline(k).record(Buffer<int>(64), stream);
            }).find("copy between the host and the device"),
            std::string::npos);
  Buffer<int> out(64);  // the stream is usable afterwards
  doubled(in).realize(out, stream);
  EXPECT_EQ(out(5), 10);
}

}  // namespace
}  // namespace sinter::test
