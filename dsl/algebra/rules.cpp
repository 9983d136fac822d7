// The rules as text; each is proved in its theory by tests/unit/algebra. Sums, quotients and
// comparisons of coordinates have a normal form of their own (simplify_index.cpp): what stands here
// is what that code does not do.

#include "dsl/algebra/simplify.h"

namespace sinter::algebra {

const std::vector<Rule>& rules() {
  constexpr auto Coordinate = Rule::Theory::Coordinate;
  constexpr auto Value = Rule::Theory::Value;
  constexpr auto Any = Rule::Theory::Any;
  static const std::vector<Rule> table = {
      {Any, "min(x, x)", "x"},
      {Any, "max(x, x)", "x"},
      {Value, "x + 0", "x"},
      {Coordinate, "min(x, min(x, y))", "min(x, y)"},
  };
  return table;
}

}  // namespace sinter::algebra
