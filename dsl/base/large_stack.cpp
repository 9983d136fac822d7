#include "dsl/base/large_stack.h"

#include <pthread.h>

#include <cstddef>
#include <exception>

#include <sinter/diagnostic.h>

namespace sinter {

namespace {

constexpr std::size_t StackBytes = std::size_t{1} << 30;

struct Job {
  const std::function<void()>& work;
  std::exception_ptr failure = nullptr;
};

void* run(void* pointer) {
  Job& job = *static_cast<Job*>(pointer);
  try {
    job.work();
  } catch (...) {
    job.failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void on_large_stack(const std::function<void()>& work) {
  Job job{work};
  pthread_attr_t attributes;
  pthread_t thread;
  ensure(pthread_attr_init(&attributes) == 0, "a thread has attributes");
  const bool started = pthread_attr_setstacksize(&attributes, StackBytes) == 0 &&
                       pthread_create(&thread, &attributes, run, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (started) pthread_join(thread, nullptr);
  else run(&job);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace sinter
