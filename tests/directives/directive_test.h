#pragma once
// What the tests of directives share: the loop nest a schedule makes, the refusal it provokes, and
// the proof that it changes no result.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sinter/func.h>

namespace sinter::test {

/// The loop nest of the default schedule.
std::string nest(const std::vector<Func>& outputs);
/// The refusal of the default schedule as "stage: directive: reason"; empty when it is accepted.
/// Checks that it has a remedy and points into the test's file.
std::string refusal(const std::vector<Func>& outputs);
/// The same, of a directive that is refused at its call.
std::string refusal_of(const std::function<void()>& directive);
/// The default schedule as text; checks that reading it gives the same text again.
std::string text(const std::vector<Func>& outputs);
/// Runs under the oracle and, after each lowering pass, under the interpreter: all bits agree. When
/// no rewrite is involved, the unscheduled algorithm gives them too.
void expect_same_results(const std::vector<Func>& outputs, const std::vector<int>& sizes);

}  // namespace sinter::test
