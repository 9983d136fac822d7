// The pool by itself: every iteration once, nesting, several callers, errors, sleep and wake.
#include "backends/runtime/thread_pool.h"

#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

namespace sinter::backends {

namespace {

template <typename Body>
std::int32_t run(ThreadPool& pool, std::int64_t min, std::int64_t extent, Body body) {
  return pool.parallel_for(
      [](std::int64_t begin, std::int64_t end, void* data) {
        return static_cast<std::int32_t>((*static_cast<Body*>(data))(begin, end));
      },
      min, extent, &body);
}

}  // namespace

TEST(ThreadPool, RunsEveryIterationOnce) {
  for (const int threads : {1, 2, 5, 16}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::int64_t extent : {0, 1, 2, 3, 7, 100, 10001}) {
      std::vector<std::atomic<int>> counts(static_cast<std::size_t>(extent));
      const std::int32_t result = run(pool, -5, extent, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(i + 5)];
        return 0;
      });
      EXPECT_EQ(result, 0);
      for (const auto& count : counts) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, LoopsNestAndCallersRunSideBySide) {
  ThreadPool pool(4);
  std::atomic<std::int64_t> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat)
        run(pool, 0, 8, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            run(pool, 0, 8, [&](std::int64_t b, std::int64_t e) {
              run(pool, 0, 2, [&](std::int64_t first, std::int64_t last) {
                total += (e - b) * (last - first);
                return 0;
              });
              return 0;
            });
          return 0;
        });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 3 * 50 * 8 * 8 * 2);
}

TEST(ThreadPool, TheFirstErrorStopsTheLoop) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<std::int64_t> ran{0};
    const std::int32_t result = run(pool, 0, 1000000, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        ++ran;
        if (i % 1000 == 999) return 7;
      }
      return 0;
    });
    EXPECT_EQ(result, 7);
    EXPECT_LT(ran, 20000);
  }
}

TEST(ThreadPool, SleepingThreadsWakeUp) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> inside{0};
    std::atomic<bool> together{false};
    // Two iterations that wait for each other end only when two threads take part.
    run(pool, 0, 2, [&](std::int64_t, std::int64_t) {
      ++inside;
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (inside < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
      if (inside == 2) together = true;
      return 0;
    });
    EXPECT_TRUE(together);
  }
}

TEST(ThreadPool, PoolsComeAndGo) {
  for (int i = 0; i < 200; ++i) {
    ThreadPool pool(3);
    if (i % 2) run(pool, 0, 10, [](std::int64_t, std::int64_t) { return 0; });
  }
}

}  // namespace sinter::backends
