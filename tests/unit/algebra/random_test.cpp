// Random expressions: simplify keeps the meaning, bounds hold all values.

#include "support.h"

#include <sinter/diagnostic.h>

#include "dsl/algebra/arithmetic.h"

namespace sinter::algebra::testing {
namespace {

/// Ranges for some of a b c d.
ConstantScope random_ranges(ExpressionSource& source) {
  ConstantScope known;
  for (const char* name : {"a", "b", "c", "d"}) {
    if (source.between(0, 1) == 0) continue;
    const std::int64_t low = source.between(-8, 8);
    known[Symbol::named(name)] = from_to(low, low + source.between(0, 15));
  }
  return known;
}

/// Compares at random points; a point at which a coordinate leaves 64 bits tells nothing.
void expect_same(const Expr& e, const Expr& s, const ConstantScope& known,
                 ExpressionSource& source) {
  for (int i = 0; i < 8; ++i) {
    const Point point = source.point(known);
    for (int lane = 0; lane < e->type.lanes; ++lane) {
      try {
        const ir::Scalar expected = evaluate_lane(e, lane, point),
                         found = evaluate_lane(s, lane, point);
        if (expected.same(found)) continue;
        std::string where;
        for (const auto& [symbol, value] : point)
          where += symbol.name() + "=" + std::to_string(value) + " ";
        ADD_FAILURE() << ir::print(e) << "\nbecame " << ir::print(s) << "\n"
                      << where << "lane " << lane << ": " << ir::to_string(expected) << " against "
                      << ir::to_string(found);
        return;
      } catch (const InternalError&) {
      }
    }
  }
}

void check(const Expr& e, const ConstantScope& known, ExpressionSource& source) {
  const Expr s = simplify(e, known);
  expect_same(e, s, known, source);
  EXPECT_TRUE(s->type == e->type);
  EXPECT_LE(tree_size(s), tree_size(e)) << ir::print(e) << "\nbecame " << ir::print(s);
  const Expr again = simplify(s, known);
  EXPECT_TRUE(ir::equal(s, again))
      << ir::print(e) << "\nbecame " << ir::print(s) << "\nthen " << ir::print(again);
}

TEST(RandomSimplify, KeepsTheMeaningOfCoordinates) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionSource source(seed);
  for (int i = 0; i < 12000 && !::testing::Test::HasFailure(); ++i) {
    const ConstantScope known = random_ranges(source);
    check(source.between(0, 3) == 0 ? source.boolean(4)
                                    : source.index(static_cast<int>(source.between(2, 5))),
          known, source);
  }
}

TEST(RandomSimplify, KeepsTheMeaningOfValues) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionSource source(seed);
  static const Type types[] = {UInt(8), Int(8), UInt(16), Int(16), Int(32), UInt(32)};
  for (int i = 0; i < 8000 && !::testing::Test::HasFailure(); ++i) {
    check(source.value(types[source.between(0, 5)], 4), random_ranges(source), source);
  }
}

TEST(RandomSimplify, KeepsTheMeaningOfVectors) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionSource source(seed);
  for (int i = 0; i < 2500 && !::testing::Test::HasFailure(); ++i) {
    check(source.vector(source.between(0, 1) == 0 ? 4 : 8, 3), random_ranges(source), source);
  }
}

TEST(RandomBounds, HoldAllValues) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionSource source(seed);
  for (int i = 0; i < 6000 && !::testing::Test::HasFailure(); ++i) {
    const Expr e = source.index(static_cast<int>(source.between(2, 5)));
    // a and b vary, over ends that mention c and d.
    const Symbol a = Symbol::named("a"), b = Symbol::named("b");
    const Expr c = ir::index_symbol(Symbol::named("c")),
               width = ir::index_literal(source.between(0, 9));
    Scope scope;
    scope[a] = {c, simplify(ir::binary(ir::Op::Add, c, width))};
    if (source.between(0, 1) == 0) scope[b] = {ir::index_literal(-3), ir::index_literal(6)};
    const Interval interval = bounds_of(e, scope);
    for (int k = 0; k < 8; ++k) {
      Point point = source.point({});
      try {
        for (const auto& [symbol, range] : scope) {
          point[symbol] = source.between(evaluate(range.min, point).integer,
                                         evaluate(range.max, point).integer);
        }
        const std::int64_t value = evaluate(e, point).integer;
        if (interval.min.defined()) {
          EXPECT_LE(evaluate(interval.min, point).integer, value)
              << ir::print(e) << " from " << ir::print(interval.min);
        }
        if (interval.max.defined()) {
          EXPECT_GE(evaluate(interval.max, point).integer, value)
              << ir::print(e) << " to " << ir::print(interval.max);
        }
      } catch (const InternalError&) {
      }
    }
  }
}

TEST(RandomBounds, ConstantBoundsHoldAllValues) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionSource source(seed);
  static const Type types[] = {UInt(8), Int(8), UInt(16), Int(16), Int(32), UInt(32)};
  for (int i = 0; i < 12000 && !::testing::Test::HasFailure(); ++i) {
    const ConstantScope known = random_ranges(source);
    const Expr e =
        source.between(0, 1) == 0 ? source.index(4) : source.value(types[source.between(0, 5)], 3);
    const ConstantInterval interval = constant_bounds(e, known);
    for (int k = 0; k < 8; ++k) {
      const Point point = source.point(known);
      try {
        const std::int64_t value = evaluate(e, point).integer;
        EXPECT_TRUE(!interval.has_min || interval.min <= value)
            << ir::print(e) << " from " << interval.min << ", is " << value;
        EXPECT_TRUE(!interval.has_max || interval.max >= value)
            << ir::print(e) << " to " << interval.max << ", is " << value;
      } catch (const InternalError&) {
      }
    }
  }
}

}  // namespace
}  // namespace sinter::algebra::testing
