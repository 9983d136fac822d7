#pragma once
// What the tests of refusals share: everything that a message must say.

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <sinter/diagnostic.h>

namespace sinter::test {

/// The line that a refusal names must end in this comment.
inline const std::string Mark = "// refused";

/// Runs `attempt`, which must throw an Error of this class with exactly these parts. Unless
/// `has_line` is false, the error must name a line of the calling file that ends in Mark.
template <typename Kind>
void expect_refused(const Diagnostic& expected, const std::function<void()>& attempt,
                    bool has_line = true);

/// The parts in the order in which they are read.
inline Diagnostic message(std::string stage, std::string directive, std::string reason,
                          std::string remedy) {
  Diagnostic d;
  d.stage = std::move(stage);
  d.directive = std::move(directive);
  d.reason = std::move(reason);
  d.remedy = std::move(remedy);
  return d;
}

/// Compares part by part; see expect_refused.
void expect_same_parts(const Diagnostic& expected, const Diagnostic& got, bool has_line);

template <typename Kind>
void expect_refused(const Diagnostic& expected, const std::function<void()>& attempt,
                    bool has_line) {
  try {
    attempt();
    ADD_FAILURE() << "accepted; expected: " << to_string(expected);
  } catch (const Kind& error) {
    expect_same_parts(expected, error.diagnostic(), has_line);
    EXPECT_EQ(error.what(), to_string(error.diagnostic()));
  } catch (const Error& error) {
    ADD_FAILURE() << "an error of another class: " << error.what();
  }
}

}  // namespace sinter::test
