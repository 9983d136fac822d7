// Random schedules of small pipelines: whatever resolve() accepts gives the oracle's bits after
// every lowering pass. The seed is printed with each failure.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

#include "dsl/schedule/fluent.h"
#include "dsl/schedule/schedule_text.h"
#include "tests/directives/pipelines.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

using namespace schedule;

/// A pipeline to be scheduled: its outputs and the sizes to run at.
struct Subject {
  std::vector<Func> outputs;
  std::vector<int> sizes;
};

Subject stencils() {
  Var x("x"), y("y");
  Func f("f"), g("g"), h("h");
  f(x, y) = x * 3 + y * y;
  g(x, y) = f(x - 1, y) + f(x, y) + f(x + 1, y);
  h(x, y) = g(x, y - 1) + g(x, y) * 2 + f(x, y);
  return {{h}, {11, 6}};
}

Subject sums(bool floats) {
  Var x("x"), y("y");
  Sum sum(floats);
  Func out("out");
  out(x, y) = sum.s(x) + sum.s(x + y);
  return {{out}, {7, 3}};
}

Subject updates() {
  Var x("x"), y("y");
  RDom r(0, 9, "r"), q(0, 5, 0, 4, "q");
  Func f("f"), g("g");
  f(x, y) = x + y;
  f(x, r) += f(x, r) * 2 + x;
  f(q.x, q.y) = f(q.x, q.y) + q.y;
  f(0, y) = min(f(0, y), y * 7);
  g(x, y) = f(x % 5, y % 4) - f(x % 3, 2);
  return {{g}, {9, 5}};
}

Subject tables() {
  Var x("x"), y("y");
  Histogram table;
  Scan scan;
  Func out("out");
  out(x, y) = table.h(clamp(x, 0, 7)) + scan.c(clamp(y, 0, 40));
  return {{out}, {9, 3}};
}

Subject subject(unsigned kind) {
  switch (kind) {
    case 0:
      return stencils();
    case 1:
      return sums(false);
    case 2:
      return sums(true);
    case 3:
      return updates();
    default:
      return tables();
  }
}

/// Draws directives that pass their own checks.
struct Drawer {
  std::mt19937 random;
  State state;
  schedule::Schedule schedule;
  int names = 0;

  int below(std::size_t n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  Symbol fresh_name() { return Symbol::named("v" + std::to_string(names++)); }
  Tail tail() {
    constexpr Tail Tails[] = {Tail::Auto, Tail::Auto, Tail::GuardWithIf, Tail::ShiftInwards};
    return Tails[below(4)];
  }
  IntegerArg factor() { return IntegerArg(std::int64_t{1 + below(5)}); }

  std::vector<Symbol> loops_of(const StageRef& ref) {
    std::vector<Symbol> result;
    state.branch.clear();
    for (const Loop& l : definition_schedule(state, ref).loops) result.push_back(l.name);
    return result;
  }

  std::optional<Directive> draw(const StageRef& ref) {
    const std::vector<Symbol> loops = loops_of(ref);
    if (loops.empty()) return std::nullopt;
    const Symbol& a = loops[static_cast<std::size_t>(below(loops.size()))];
    const Symbol& b = loops[static_cast<std::size_t>(below(loops.size()))];
    switch (below(13)) {
      case 0:
        return Split{a, fresh_name(), fresh_name(), factor(), tail()};
      case 1:
        return Split{a, a, fresh_name(), factor(), tail()};
      case 2:
        return Fuse{a, b, fresh_name()};
      case 3:
        return Tile{{a, b},
                    {fresh_name(), fresh_name()},
                    {fresh_name(), fresh_name()},
                    {factor(), factor()},
                    tail()};
      case 4: {
        Reorder reorder{loops};
        std::shuffle(reorder.loops.begin(), reorder.loops.end(), random);
        return reorder;
      }
      case 5:
        return Parallel{a, below(2) ? std::optional(factor()) : std::nullopt, tail()};
      case 6:
        return Vectorize{a, factor(), tail()};
      case 7:
        return Unroll{a, factor(), tail()};
      case 8:
        return Vectorize{a, std::nullopt, Tail::Auto};
      case 9:
        return Atomic{};
      case 10:
        if (ref.definition == 0) return std::nullopt;
        return Rfactor{{{a, fresh_name()}}, Symbol::fresh("partial")};
      case 11:
        if (ref.definition == 0) return std::nullopt;
        return ReduceAcross{a,
                            {factor(), IntegerArg(std::int64_t{1} << below(3)),
                             IntegerArg(std::int64_t{1} << below(2))},
                            Symbol::fresh("tree")};
      case 12:
        return In{{}, Symbol::fresh("copy")};
      default:
        return std::nullopt;
    }
  }

  std::optional<Directive> place(const StageRef& ref) {
    const auto& stages = state.algorithm.stages;
    const StageDefinition& consumer = stages[static_cast<std::size_t>(below(stages.size()))];
    const std::vector<Symbol> loops = loops_of({consumer.id, 0});
    if (below(4) == 0 || loops.empty()) return ComputeRoot{};
    const Symbol& loop = loops[static_cast<std::size_t>(below(loops.size()))];
    if (below(4) == 0) return StoreAt{consumer.id, loop, -1};
    if (below(6) == 0) return StoreRoot{};
    static_cast<void>(ref);
    return ComputeAt{consumer.id, loop, -1};
  }

  void run(int count) {
    for (int i = 0; i < count; ++i) {
      const auto& stages = state.algorithm.stages;
      const StageDefinition& stage = stages[static_cast<std::size_t>(below(stages.size()))];
      const StageRef ref{stage.id, below(stage.definitions.size())};
      const StageRef whole{stage.id, 0};
      const bool places = below(3) == 0;
      const auto directive = places ? place(whole) : draw(ref);
      if (!directive) continue;
      const Entry entry{places ? whole : ref, *directive, std::source_location::current(), {}};
      if (check(entry, state)) continue;
      replay(entry, state);
      schedule.entries.push_back(entry);
    }
  }
};

TEST(RandomSchedules, AcceptedOnesGiveTheOraclesBits) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(6);
  const unsigned first =
      std::getenv("SINTER_SEED") ? static_cast<unsigned>(std::atoi(std::getenv("SINTER_SEED"))) : 1;
  int accepted = 0, refused = 0, refused_by_lowering = 0;
  std::map<std::string, int> reasons;
  for (unsigned seed = first; seed < first + 4000 && std::chrono::steady_clock::now() < end;
       ++seed) {
    Drawer drawer;
    drawer.random.seed(seed);
    const Subject chosen = subject(seed % 5);
    const Algorithm algorithm = collect(chosen.outputs);
    drawer.state = initial_state(algorithm);
    drawer.run(1 + drawer.below(8));
    const std::string text = to_string(drawer.schedule, algorithm);
    if (const auto problem = refusal_of(algorithm, drawer.schedule)) {
      ++refused;
      continue;
    }
    ++accepted;
    const auto reread = parse_schedule(text, algorithm, "text");
    EXPECT_EQ(to_string(reread, algorithm), text) << "seed " << seed;
    const auto scheduled = resolve(algorithm, drawer.schedule, "p");
    EXPECT_EQ(loop_nest(resolve(algorithm, reread, "p")), loop_nest(scheduled)) << "seed " << seed;
    try {
      const std::string problem = compare_all(scheduled, chosen.outputs, chosen.sizes);
      ASSERT_EQ(problem, "") << "seed " << seed << "\n" << text << loop_nest(scheduled);
    } catch (const Error& error) {
      ++refused_by_lowering;
      if (reasons[error.diagnostic().reason]++ == 0)
        std::cout << "seed " << seed << ": " << error.what() << "\n";
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << text << loop_nest(scheduled);
    }
  }
  std::cout << accepted << " accepted, " << refused << " refused, " << refused_by_lowering
            << " refused by lowering\n";
  EXPECT_GE(accepted, 20);
  EXPECT_LE(refused_by_lowering * 3, accepted);
}

}  // namespace
}  // namespace sinter::test
