#pragma once
// Schedule: the ordered list of directives of a pipeline as a value. Func's fluent methods edit the
// default one; a Schedule read from text or from another pipeline is used by
// `pipeline.with(schedule)`.

#include <memory>
#include <string>
#include <vector>

namespace sinter {

class Func;
namespace schedule {
struct Schedule;
}

class Schedule {
 public:
  /// The empty schedule: every stage where Halide would put it by default.
  Schedule();
  explicit Schedule(schedule::Schedule);

  /// The directives that were written on these Funcs and on the stages they use, in order.
  static Schedule of(const std::vector<Func>& outputs);
  /// Each stage computed at root, serially.
  static Schedule root(const std::vector<Func>& outputs);
  /// Reads the text form (lines such as `f.split(x, xo, xi, 8);`) against the algorithm of
  /// `outputs`. Throws ScheduleError with file, line, column and the offending text.
  static Schedule parse(const std::string& text, const std::vector<Func>& outputs,
                        const std::string& filename = "schedule");
  /// The text form.
  std::string to_string(const std::vector<Func>& outputs) const;

  const schedule::Schedule& directives() const { return *directives_; }

 private:
  std::shared_ptr<const schedule::Schedule> directives_;
};

}  // namespace sinter
