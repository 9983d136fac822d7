#pragma once
// What Sinter says when it refuses. A Diagnostic names the stage, the directive, the user's line,
// the reason and a remedy; exceptions carry one.

#include <source_location>
#include <stdexcept>
#include <string>

namespace sinter {

struct Diagnostic {
  std::string stage;  ///< text name of the stage, e.g. "blur_x" or "hist.update(0)"; may be empty
  std::string
      directive;  ///< as written, e.g. "split(x, xo, xi, 8)"; empty when no directive is at fault
  std::string reason;  ///< what cannot be, and why
  std::string remedy;  ///< what would work
  std::string file;    ///< the user's source file; empty when unknown
  unsigned line = 0;

  Diagnostic& at(const std::source_location& where) {
    file = where.file_name();
    line = where.line();
    return *this;
  }
};

/// "file:line: stage 'f': split(x, x, xi, 8): reason\n  remedy: ..."
std::string to_string(const Diagnostic&);

/// Finds the parts in what to_string wrote, without a line; text of another form is all reason.
Diagnostic parse_diagnostic(const std::string& text);

/// Base of every error that a user can provoke.
class Error : public std::runtime_error {
 public:
  explicit Error(Diagnostic diagnostic)
      : std::runtime_error(to_string(diagnostic)), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// The algorithm is wrong: types, ranks, undefined Funcs.
class AlgorithmError : public Error {
  using Error::Error;
};
/// A directive cannot be applied, or would change the result.
class ScheduleError : public Error {
  using Error::Error;
};
/// The scheduled program cannot be compiled for the target.
class CompileError : public Error {
  using Error::Error;
};
/// A call was refused: buffers too small, coordinates beyond int32, a failed require.
class RuntimeError : public Error {
  using Error::Error;
};
/// A device or driver failed.
class DeviceError : public Error {
  using Error::Error;
};

/// A mistake of ours, in all builds: please report it.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws InternalError unless `condition` holds.
void ensure(bool condition, const char* what,
            std::source_location where = std::source_location::current());

}  // namespace sinter
