#include "backends/runtime/parallel.h"

#include <cstdlib>

#include <sinter/runtime.h>

#include "backends/runtime/thread_pool.h"

namespace sinter {

namespace {

int default_threads() {
  if (const char* text = std::getenv("SINTER_NUM_THREADS")) {
    const int n = std::atoi(text);
    if (n > 0) return n;
  }
  const int n = static_cast<int>(std::thread::hardware_concurrency());
  return n > 0 ? n : 1;
}

/// What set_parallel_for and set_num_threads change: necessarily one for the process. The pool's
/// threads start with the first parallel loop.
struct Settings {
  std::mutex mutex;
  std::shared_ptr<const ParallelFor> hook;
  std::shared_ptr<backends::ThreadPool> pool;
  int threads = 0;                                   // 0: default
  std::atomic<backends::ThreadPool*> fast{nullptr};  // the pool, when there is no hook
};

Settings& settings() {
  static Settings all;
  return all;
}

backends::ThreadPool& start_pool(Settings& s) {
  if (!s.pool)
    s.pool = std::make_shared<backends::ThreadPool>(s.threads > 0 ? s.threads : default_threads());
  if (!s.hook) s.fast.store(s.pool.get(), std::memory_order_release);
  return *s.pool;
}

}  // namespace

void set_parallel_for(ParallelFor hook) {
  Settings& s = settings();
  const std::lock_guard lock(s.mutex);
  s.fast.store(nullptr);
  s.hook = hook ? std::make_shared<const ParallelFor>(std::move(hook)) : nullptr;
}

void set_num_threads(int count) {
  Settings& s = settings();
  const std::lock_guard lock(s.mutex);
  s.fast.store(nullptr);
  s.threads = count > 0 ? count : 0;
  s.pool.reset();
}

int num_threads() {
  Settings& s = settings();
  const std::lock_guard lock(s.mutex);
  return s.threads > 0 ? s.threads : default_threads();
}

namespace backends {

std::int32_t run_parallel_loop(LoopBody body, std::int64_t min, std::int64_t extent,
                               void* closure) {
  Settings& s = settings();
  if (ThreadPool* pool = s.fast.load(std::memory_order_acquire))
    return pool->parallel_for(body, min, extent, closure);
  std::shared_ptr<const ParallelFor> hook;
  ThreadPool* pool = nullptr;
  {
    const std::lock_guard lock(s.mutex);
    hook = s.hook;
    if (!hook) pool = &start_pool(s);
  }
  if (pool) return pool->parallel_for(body, min, extent, closure);
  if (extent <= 0) return 0;
  return (*hook)(min, extent, [&](std::int64_t begin, std::int64_t end) {
    return begin < end ? static_cast<int>(body(begin, end, closure)) : 0;
  });
}

}  // namespace backends

}  // namespace sinter
