#pragma once
// The threads of parallel host loops: a persistent pool of which the caller is one. Loops nest and
// callers run side by side; a caller never waits for work that nobody is doing.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sinter::backends {

class ThreadPool {
 public:
  /// `threads` counts the caller; 1 or less makes no thread.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  using Body = std::int32_t (*)(std::int64_t begin, std::int64_t end, void* data);
  /// Runs [min, min + extent) in pieces; the first result that is not 0 stops the handing out of
  /// further pieces and is returned once all running ones are done. The body must not throw.
  std::int32_t parallel_for(Body, std::int64_t min, std::int64_t extent, void* data);

 private:
  struct Job;
  void work();
  /// Runs pieces of the job until none is left.
  void run_pieces(Job&);
  Job* join_some_job();
  void leave(Job&);
  void wake(int count);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable sleepers_;
  std::vector<Job*> jobs_;                  // with pieces left, oldest first; under mutex_
  int sleeping_ = 0;                        // under mutex_
  std::atomic<std::uint64_t> arrivals_{0};  // jobs ever posted: what idle threads spin on
  std::atomic<bool> stopping_{false};
};

}  // namespace sinter::backends
