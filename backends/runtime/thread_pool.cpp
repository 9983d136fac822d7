#include "backends/runtime/thread_pool.h"

#include <algorithm>

namespace sinter::backends {

namespace {

constexpr int SpinsBeforeSleep = 2000;  // some 20 to 80 microseconds
constexpr int SpinsBeforeYield = 32;

/// Waits a little. Every so often the processor is offered to others: on a busy machine a thread
/// that was woken may have taken it from the very thread that woke it.
void pause(int spins) {
  if (spins % SpinsBeforeYield == SpinsBeforeYield - 1) return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

struct ThreadPool::Job {
  Body body;
  void* data;
  std::int64_t end;
  std::int64_t share;  // a piece is the rest divided by this
  std::atomic<std::int64_t> next;
  std::atomic<std::int32_t> result{0};
  std::atomic<int> helpers{0};  // workers inside; raised under the pool's mutex only
};

ThreadPool::ThreadPool(int threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true);
    arrivals_.fetch_add(1);
  }
  sleepers_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_pieces(Job& job) {
  std::int64_t begin = job.next.load(std::memory_order_relaxed);
  for (;;) {
    if (begin >= job.end || job.result.load(std::memory_order_relaxed) != 0) return;
    const std::int64_t size = std::max<std::int64_t>((job.end - begin) / job.share, 1);
    if (!job.next.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed)) continue;
    const std::int32_t result = job.body(begin, begin + size, job.data);
    if (result != 0) {
      std::int32_t none = 0;
      job.result.compare_exchange_strong(none, result);
      return;
    }
    begin = job.next.load(std::memory_order_relaxed);
  }
}

std::int32_t ThreadPool::parallel_for(Body body, std::int64_t min, std::int64_t extent,
                                      void* data) {
  if (extent <= 0) return 0;
  if (extent == 1 || workers_.empty()) return body(min, min + extent, data);
  Job job{.body = body,
          .data = data,
          .end = min + extent,
          .share = 2 * std::int64_t{threads()},
          .next{min}};
  int wanted = 0;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    arrivals_.fetch_add(1);
    wanted = static_cast<int>(std::min<std::int64_t>(extent - 1, sleeping_));
  }
  wake(std::min(wanted, 2));  // each of them wakes two more: the caller starts at once
  run_pieces(job);
  {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, &job);
  }
  // Nobody can join any more; those inside are running a piece each.
  for (int spins = 0; job.helpers.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < SpinsBeforeSleep) pause(spins);
    else std::this_thread::yield();
  }
  return job.result.load();
}

void ThreadPool::wake(int count) {
  for (int i = 0; i < count; ++i) sleepers_.notify_one();
}

ThreadPool::Job* ThreadPool::join_some_job() {
  int wanted = 0;
  Job* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (Job* job : jobs_) {
      const std::int64_t left = job->end - job->next.load(std::memory_order_relaxed);
      if (left <= 0 || job->result.load(std::memory_order_relaxed) != 0) continue;
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      found = job;
      wanted = static_cast<int>(std::min<std::int64_t>({left - 1, sleeping_, 2}));
      break;
    }
  }
  wake(wanted);
  return found;
}

void ThreadPool::leave(Job& job) { job.helpers.fetch_sub(1, std::memory_order_release); }

void ThreadPool::work() {
  while (!stopping_.load(std::memory_order_relaxed)) {
    const std::uint64_t seen = arrivals_.load();
    if (Job* job = join_some_job()) {
      run_pieces(*job);
      leave(*job);
      continue;
    }
    for (int spins = 0;
         spins < SpinsBeforeSleep && arrivals_.load(std::memory_order_relaxed) == seen; ++spins)
      pause(spins);
    std::unique_lock lock(mutex_);
    ++sleeping_;
    sleepers_.wait(lock, [&] { return arrivals_.load(std::memory_order_relaxed) != seen; });
    --sleeping_;
  }
}

}  // namespace sinter::backends
