// The loops in which the applications spend their time, as machine code for a fixed target: vector
// loads, arithmetic and stores, and no lane that is moved by itself.

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sinter/sinter.h>

#include "apps/sinter/apps.h"
#include "backends/driver/compile_pipeline.h"

namespace sinter::test {
namespace {

const Target Machine("host-x86-64-v3");

/// The loops without branches inside, of which some instruction uses a whole vector register.
std::vector<std::string> vector_loops(const std::string& assembly) {
  static const std::regex label("(\\.LBB\\w+):.*"), jump("\\s+j\\w+\\s+(\\.LBB\\w+).*");
  std::vector<std::string> found;
  std::string head, body;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, label)) {
      head = match[1];
      body.clear();
    } else if (std::regex_match(line, match, jump)) {
      if (match[1] == head && body.find("%ymm") != std::string::npos) found.push_back(body);
      head.clear();
    } else {
      body += line + "\n";
    }
  }
  return found;
}

int occurrences(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()));
}

void expect_no_lane_by_itself(const std::string& loop) {
  EXPECT_EQ(
      occurrences(
          loop,
          "vpinsr|vpextr|vinsertps|vextractps|gather|v(mov|add|sub|mul|div|fmadd\\w+)ss\\s|call"),
      0)
      << loop;
}

using Listings = std::map<std::string, std::string>;

Listings listings(const std::vector<Func>& outputs) {
  driver::CompileOptions options;
  options.listings = true;
  const Listings result =
      driver::compile_pipeline(driver::resolve_pipeline(outputs, Schedule::of(outputs)), Machine,
                               options)
          .code.listings;
  EXPECT_NE(result.at("llvm").find(" load <"), std::string::npos);
  EXPECT_EQ(result.at("llvm").find("extractelement"), std::string::npos);
  return result;
}

/// The loops of an application under its tuned schedule.
std::vector<std::string> loops_of(const std::string& app) {
  const Registry registry = apps::all_apps();
  const std::unique_ptr<Program> program = registry.find(app)->make();
  program->schedule("tuned", Machine);
  return vector_loops(listings(program->pipeline().outputs()).at("asm"));
}

TEST(InnerLoops, BlurIsSumsAndOneHighProduct) {
  const std::vector<std::string> loops = loops_of("blur");
  ASSERT_GE(loops.size(), 2u);
  for (const std::string& loop : loops) {
    expect_no_lane_by_itself(loop);
    EXPECT_EQ(occurrences(loop, "vpaddw\\s.*%ymm"), 2) << loop;
    EXPECT_EQ(occurrences(loop, "vpmulhuw\\s.*%ymm"), 1) << loop;
    EXPECT_EQ(occurrences(loop, "vmovdqu\\s+%ymm\\d+, .*\\("), 1) << loop;
    EXPECT_LE(occurrences(loop, "\n"), 12) << loop;
  }
}

TEST(InnerLoops, UnsharpMultipliesAndAddsAtOnce) {
  int three = 0, four = 0;
  for (const std::string& loop : loops_of("unsharp")) {
    expect_no_lane_by_itself(loop);
    const int fused = occurrences(loop, "vfmadd\\w+ps\\s.*%ymm");
    three += fused == 3 ? 1 : 0;  // seven taps, symmetric
    four += fused == 4 ? 1 : 0;   // the same, and the amplified difference
  }
  EXPECT_GE(three, 1);
  EXPECT_GE(four, 1);
}

TEST(InnerLoops, Conv2dKeepsItsTileInRegisters) {
  int most = 0;
  for (const std::string& loop : loops_of("conv2d")) {
    expect_no_lane_by_itself(loop);
    const int fused = occurrences(loop, "vfmadd\\w+ps\\s.*%ymm");
    if (fused >= 10) {
      EXPECT_EQ(occurrences(loop, "vmov\\w+\\s+%ymm\\d+, .*\\(%r[sb]p"), 0)
          << "an accumulator is spilled:\n"
          << loop;
    }
    most = std::max(most, fused);
  }
  EXPECT_EQ(most, 20);  // 2 vectors of channels x 5 pixels, unrolled twice
}

/// The loops of `value`, 32 lanes at a time, over inputs a and b of type `t`.
std::vector<std::string> loops_of(Type t,
                                  const std::function<Expr(const Expr&, const Expr&)>& value) {
  ImageParam a(t, 1, "a"), b(t, 1, "b");
  Var x("x");
  Func f("f");
  f(x) = value(a(x), b(x));
  f.vectorize(x, 32);
  const std::vector<std::string> loops = vector_loops(listings({f}).at("asm"));
  EXPECT_GE(loops.size(), 1u);
  return loops;
}

TEST(InnerLoops, MinAndMaxStayVectors) {
  for (const Type t : {UInt(8), Int(8), UInt(16), Int(16), Int(32), Float(32), Float(64)}) {
    SCOPED_TRACE(to_string(t));
    for (const std::string& loop :
         loops_of(t, [](const Expr& a, const Expr& b) { return min(max(a, b), a + b); })) {
      expect_no_lane_by_itself(loop);
    }
  }
}

TEST(InnerLoops, SaturatingCastsStayVectors) {
  const auto narrow = [](Type from, Type to) {
    SCOPED_TRACE(to_string(from) + " to " + to_string(to));
    for (const std::string& loop :
         loops_of(from, [&](const Expr& a, const Expr& b) { return saturating_cast(to, a - b); })) {
      expect_no_lane_by_itself(loop);
    }
  };
  narrow(Int(16), UInt(8));
  narrow(Int(16), Int(8));
  narrow(Int(32), UInt(8));
  narrow(Int(32), Int(16));
  narrow(Float(32), UInt(8));
  narrow(Float(32), Int(16));
  narrow(Float(32), Int(32));
}

TEST(InnerLoops, AveragesOfBytesStayVectors) {
  for (const std::string& loop :
       loops_of(UInt(8), [](const Expr& a, const Expr& b) { return rounding_halving_add(a, b); })) {
    expect_no_lane_by_itself(loop);
  }
  for (const std::string& loop :
       loops_of(UInt(8), [](const Expr& a, const Expr& b) { return saturating_add(a, b); })) {
    expect_no_lane_by_itself(loop);
    EXPECT_EQ(occurrences(loop, "vpaddusb\\s.*%ymm"), 1) << loop;
  }
}

}  // namespace
}  // namespace sinter::test
