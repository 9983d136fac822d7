// Lesson 3: seeing what a schedule does. The page beside this file explains it.

#include <cstdio>
#include <functional>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

Var x("x"), y("y");

/// Prints a refusal without the name of the file it points into.
bool refused(const char* what, const std::function<void()>& attempt) {
  try {
    attempt();
    std::printf("%s: accepted\n", what);
    return false;
  } catch (const ScheduleError& error) {
    const Diagnostic& d = error.diagnostic();
    std::printf("stage:     %s\ndirective: %s\nreason:    %s\nremedy:    %s\n\n", d.stage.c_str(),
                d.directive.c_str(), d.reason.c_str(), d.remedy.c_str());
    return d.line != 0;
  }
}

struct Blur {
  Func in{"in"}, across{"across"}, out{"out"};
  Blur() {
    in(x, y) = (x * 7 + y * 13) % 31;
    across(x, y) = in(x - 1, y) + in(x, y) + in(x + 1, y);
    out(x, y) = across(x, y - 1) + across(x, y) + across(x, y + 1);
  }
};

}  // namespace

int main() {
  // What the default schedule means, without running anything.
  Blur plain;
  std::printf("by default:\n");
  std::fflush(stdout);
  plain.out.print_loop_nest();

  // Two directives: what changed?
  Blur blur;
  Var yo("yo"), yi("yi");
  blur.out.split(y, yo, yi, 8).parallel(yo).vectorize(x, 8);
  blur.across.compute_at(blur.out, yo).vectorize(x, 8);
  std::printf("\nscheduled:\n");
  std::fflush(stdout);
  blur.out.print_loop_nest();

  // A schedule is a value with a text form, which can be read back.
  const std::string text = Schedule::of({blur.out}).to_string({blur.out});
  std::printf("\nas text:\n%s", text.c_str());
  Blur other;
  Pipeline rebuilt = Pipeline(other.out).with(Schedule::parse(text, {other.out}, "blur.schedule"));

  // Does it compute the same? Compare with the schedule that you trust.
  Buffer<int> wanted = plain.out.realize({20, 20});
  Buffer<int> got = rebuilt.realize({20, 20});
  bool equal = true;
  wanted.for_each_element([&](int i, int j) { equal = equal && wanted(i, j) == got(i, j); });
  std::printf("\nthe same result: %s\n\n", equal ? "yes" : "no");

  // A refusal says where, what, why, and what would work.
  bool all = refused("a loop that is not there", [] {
    Blur b;
    b.out.vectorize(Var("z"), 8);
  });
  all = refused("a place that does not enclose every use",
                [] {
                  Blur b;
                  Func twice("twice");
                  twice(x, y) = b.out(x, y) + b.across(x, y);
                  b.out.compute_root();
                  b.across.compute_at(b.out, y);
                  twice.realize({8, 8});
                }) &&
        all;
  return equal && all ? 0 : 1;
}
