// The rules as text; each is proved in its theory by tests/unit/algebra. Sums, quotients and
// comparisons of coordinates have a normal form of their own (simplify_index.cpp): what stands here
// is what that code does not do. Every rule makes the expression smaller (tests: the measure).

#include <span>

#include "dsl/algebra/simplify.h"

namespace sinter::algebra {

namespace {

constexpr auto Coordinate = Rule::Theory::Coordinate;
constexpr auto Value = Rule::Theory::Value;
constexpr auto Any = Rule::Theory::Any;

constexpr Rule extremum_rules[] = {
    {Any, "min(x, x)", "x"},
    {Any, "max(x, x)", "x"},
    {Any, "min(min(x, y), x)", "min(x, y)"},
    {Any, "max(max(x, y), x)", "max(x, y)"},
    {Any, "min(max(x, y), x)", "x"},
    {Any, "max(min(x, y), x)", "x"},
    {Any, "min(min(x, c0), c1)", "min(x, min(c0, c1))"},
    {Any, "max(max(x, c0), c1)", "max(x, max(c0, c1))"},
    {Any, "min(max(x, c0), c1)", "c1", "c1 <= c0"},
    {Any, "max(min(x, c0), c1)", "c1", "c0 <= c1"},
    {Any, "min(min(x, y), min(x, z))", "min(min(y, z), x)"},
    {Any, "max(max(x, y), max(x, z))", "max(max(y, z), x)"},
    {Any, "min(max(x, y), max(x, z))", "max(min(y, z), x)"},
    {Any, "max(min(x, y), min(x, z))", "min(max(y, z), x)"},
    {Any, "min(max(x, y), min(x, z))", "min(x, z)"},
    {Any, "max(min(x, y), max(x, z))", "max(x, z)"},
    {Any, "min(max(min(x, y), z), y)", "min(max(x, z), y)"},
    {Any, "max(min(max(x, y), z), y)", "max(min(x, z), y)"},
    {Any, "min(max(min(x, c0), c1), c2)", "min(max(x, c1), c2)", "c2 <= c0"},
    {Any, "max(min(max(x, c0), c1), c2)", "max(min(x, c1), c2)", "c0 <= c2"},
    {Coordinate, "min(x*c0, y*c0)", "min(x, y)*c0", "0 < c0"},
    {Coordinate, "max(x*c0, y*c0)", "max(x, y)*c0", "0 < c0"},
    {Coordinate, "min(x*c0, y*c0)", "max(x, y)*c0", "c0 < 0"},
    {Coordinate, "max(x*c0, y*c0)", "min(x, y)*c0", "c0 < 0"},
    {Coordinate, "min(x/c0, y/c0)", "min(x, y)/c0", "0 < c0"},
    {Coordinate, "max(x/c0, y/c0)", "max(x, y)/c0", "0 < c0"},
    {Coordinate, "min(x*c0, y)/c0", "min(y/c0, x)", "0 < c0"},
    {Coordinate, "max(x*c0, y)/c0", "max(y/c0, x)", "0 < c0"},
    {Coordinate, "min(x/c0*c0, x)", "x/c0*c0", "0 < c0"},
    {Coordinate, "max(x/c0*c0, x)", "x", "0 < c0"},
};

constexpr Rule select_rules[] = {
    {Any, "select(p, x, x)", "x"},
    {Any, "select(true, x, y)", "x"},
    {Any, "select(false, x, y)", "y"},
    {Any, "select(!p, x, y)", "select(p, y, x)"},
    {Any, "select(p, select(p, x, y), z)", "select(p, x, z)"},
    {Any, "select(p, x, select(p, y, z))", "select(p, x, z)"},
    {Any, "select(p, x, select(q, x, y))", "select(p || q, x, y)"},
    {Any, "select(p, select(q, x, y), y)", "select(p && q, x, y)"},
    {Any, "select(p, select(q, x, y), x)", "select(q || !p, x, y)"},
    {Any, "select(p, x, select(q, y, x))", "select(p || !q, x, y)"},
    {Any, "select(p, true, false)", "p"},
    {Any, "select(p, false, true)", "!p"},
    {Any, "select(p, true, q)", "p || q"},
    {Any, "select(p, q, false)", "p && q"},
    {Any, "select(p, false, q)", "!p && q"},
    {Any, "select(p, q, true)", "!p || q"},
    {Any, "select(p, p, q)", "p || q"},
    {Any, "select(p, q, p)", "p && q"},
    {Any, "select(x < y, x, y)", "min(x, y)"},
    {Any, "select(x < y, y, x)", "max(x, y)"},
    {Any, "select(x <= y, x, y)", "min(x, y)"},
    {Any, "select(x <= y, y, x)", "max(x, y)"},
    {Any, "select(x == y, x, y)", "y"},
    {Any, "select(x != y, x, y)", "x"},
    {Any, "select(x < c0, x, c1)", "min(x, c1)", "c1 < c0 && c1 + 1 == c0"},
    {Any, "select(x < c0, c1, x)", "max(x, c1)", "c1 < c0 && c1 + 1 == c0"},
    {Any, "select(c0 < x, x, c1)", "max(x, c1)", "c0 < c1 && c0 + 1 == c1"},
    {Any, "select(c0 < x, c1, x)", "min(x, c1)", "c0 < c1 && c0 + 1 == c1"},
    {Any, "select(p, x*c0, y*c0)", "select(p, x, y)*c0"},
    {Coordinate, "select(p, x/c0, y/c0)", "select(p, x, y)/c0"},
    {Coordinate, "select(p, x % c0, y % c0)", "select(p, x, y) % c0"},
    {Value, "select(p, x + z, y + z)", "select(p, x, y) + z"},
    {Value, "select(p, x - z, y - z)", "select(p, x, y) - z"},
    {Any, "select(p, min(x, z), min(y, z))", "min(select(p, x, y), z)"},
    {Any, "select(p, max(x, z), max(y, z))", "max(select(p, x, y), z)"},
    {Any, "select(p, c0, c1) == c2", "p", "c0 == c2 && c1 != c2"},
    {Any, "select(p, c0, c1) == c2", "!p", "c0 != c2 && c1 == c2"},
    {Any, "select(p, c0, c1) == c2", "false", "c0 != c2 && c1 != c2"},
    {Any, "select(p, c0, c1) != c2", "p", "c0 != c2 && c1 == c2"},
    {Any, "select(p, c0, c1) != c2", "!p", "c0 == c2 && c1 != c2"},
    {Any, "select(p, c0, c1) != c2", "true", "c0 != c2 && c1 != c2"},
    {Any, "select(p, c0, c1) < c2", "p", "c0 < c2 && c2 <= c1"},
    {Any, "select(p, c0, c1) < c2", "!p", "c2 <= c0 && c1 < c2"},
    {Any, "c2 < select(p, c0, c1)", "p", "c2 < c0 && c1 <= c2"},
    {Any, "c2 < select(p, c0, c1)", "!p", "c0 <= c2 && c2 < c1"},
};

constexpr Rule logic_rules[] = {
    {Any, "p && (p || q)", "p"},
    {Any, "p || p && q", "p"},
    {Any, "(p || q) && (p || r)", "p || q && r"},
    {Any, "p && q || p && r", "p && (q || r)"},
    {Any, "p && (!p || q)", "p && q"},
    {Any, "p || !p && q", "p || q"},
    {Any, "p == p", "true"},
    {Any, "p != p", "false"},
    {Any, "p == true", "p"},
    {Any, "p == false", "!p"},
    {Any, "p != false", "p"},
    {Any, "p != true", "!p"},
    {Any, "!p == !q", "p == q"},
    {Any, "!p != !q", "p != q"},
};

constexpr Rule compare_rules[] = {
    {Any, "x == x", "true"},
    {Any, "x != x", "false"},
    {Any, "x < x", "false"},
    {Any, "x <= x", "true"},
    {Any, "min(x, y) < x", "y < x"},
    {Any, "x < min(x, y)", "false"},
    {Any, "min(x, y) <= x", "true"},
    {Any, "x <= min(x, y)", "x <= y"},
    {Any, "max(x, y) < x", "false"},
    {Any, "x < max(x, y)", "x < y"},
    {Any, "max(x, y) <= x", "y <= x"},
    {Any, "x <= max(x, y)", "true"},
    {Any, "min(x, y) == x", "x <= y"},
    {Any, "max(x, y) == x", "y <= x"},
    {Any, "min(x, y) != x", "y < x"},
    {Any, "max(x, y) != x", "x < y"},
    {Any, "min(x, c0) < c1", "true", "c0 < c1"},
    {Any, "min(x, c0) < c1", "x < c1", "c1 <= c0"},
    {Any, "max(x, c0) < c1", "x < c1", "c0 < c1"},
    {Any, "max(x, c0) < c1", "false", "c1 <= c0"},
    {Any, "c1 < min(x, c0)", "c1 < x", "c1 < c0"},
    {Any, "c1 < min(x, c0)", "false", "c0 <= c1"},
    {Any, "c1 < max(x, c0)", "true", "c1 < c0"},
    {Any, "c1 < max(x, c0)", "c1 < x", "c0 <= c1"},
    {Any, "min(x, c0) <= c1", "true", "c0 <= c1"},
    {Any, "min(x, c0) <= c1", "x <= c1", "c1 < c0"},
    {Any, "max(x, c0) <= c1", "x <= c1", "c0 <= c1"},
    {Any, "max(x, c0) <= c1", "false", "c1 < c0"},
    {Any, "c1 <= min(x, c0)", "c1 <= x", "c1 <= c0"},
    {Any, "c1 <= min(x, c0)", "false", "c0 < c1"},
    {Any, "c1 <= max(x, c0)", "true", "c1 <= c0"},
    {Any, "c1 <= max(x, c0)", "c1 <= x", "c0 < c1"},
    {Any, "min(x, c0) == c1", "false", "c0 < c1"},
    {Any, "min(x, c0) == c1", "x == c1", "c1 < c0"},
    {Any, "max(x, c0) == c1", "false", "c1 < c0"},
    {Any, "max(x, c0) == c1", "x == c1", "c0 < c1"},
    {Any, "min(x, c0) != c1", "true", "c0 < c1"},
    {Any, "min(x, c0) != c1", "x != c1", "c1 < c0"},
    {Any, "max(x, c0) != c1", "true", "c1 < c0"},
    {Any, "max(x, c0) != c1", "x != c1", "c0 < c1"},
    {Value, "x + c0 == c1", "x == c1 - c0"},
    {Value, "x + c0 != c1", "x != c1 - c0"},
    {Value, "x - c0 == c1", "x == c1 + c0"},
    {Value, "x - c0 != c1", "x != c1 + c0"},
    {Value, "c0 - x == c1", "x == c0 - c1"},
    {Value, "c0 - x != c1", "x != c0 - c1"},
    {Value, "x + y == x", "y == 0"},
    {Value, "x + y != x", "y != 0"},
    {Value, "x + y == x + z", "y == z"},
    {Value, "x + y != x + z", "y != z"},
    {Value, "x - y == 0", "x == y"},
    {Value, "x - y != 0", "x != y"},
    {Value, "(x ^ c0) == c1", "x == (c0 ^ c1)"},
    {Value, "(x ^ c0) != c1", "x != (c0 ^ c1)"},
    {Coordinate, "x/c0 < c1", "x < c0*c1", "0 < c0"},
    {Coordinate, "x/c0 <= c1", "x < c0*c1 + c0", "0 < c0"},
    {Coordinate, "c1 < x/c0", "c0*c1 + c0 <= x", "0 < c0"},
    {Coordinate, "c1 <= x/c0", "c0*c1 <= x", "0 < c0"},
    {Coordinate, "x/c0*c0 == x", "x % c0 == 0", "0 < c0"},
    {Coordinate, "x/c0*c0 != x", "x % c0 != 0", "0 < c0"},
    {Coordinate, "x/c0*c0 < x", "x % c0 != 0", "0 < c0"},
};

constexpr Rule arithmetic_rules[] = {
    {Value, "x + 0", "x"},
    {Value, "x - 0", "x"},
    {Value, "x - x", "0"},
    {Value, "x*0", "0"},
    {Value, "x*1", "x"},
    {Value, "x/0", "0"},
    {Value, "x/1", "x"},
    {Any, "0/x", "0"},
    {Value, "x % 0", "0"},
    {Value, "x % 1", "0"},
    {Any, "0 % x", "0"},
    {Any, "x % x", "0"},
    {Coordinate, "x % c0 % c0", "x % c0"},
    {Value, "0 - (x - y)", "y - x"},
    {Value, "x + c0 + c1", "x + (c0 + c1)"},
    {Value, "x - c0 + c1", "x + (c1 - c0)"},
    {Value, "x + c0 - c1", "x + (c0 - c1)"},
    {Value, "x - c0 - c1", "x - (c0 + c1)"},
    {Value, "c0 - x + c1", "(c0 + c1) - x"},
    {Value, "c0 - x - c1", "(c0 - c1) - x"},
    {Value, "c0 - (x + c1)", "(c0 - c1) - x"},
    {Value, "c0 - (x - c1)", "(c0 + c1) - x"},
    {Value, "c0 - (c1 - x)", "x + (c0 - c1)"},
    {Value, "x*c0*c1", "x*(c0*c1)"},
    {Value, "x - y + y", "x"},
    {Value, "x + y - y", "x"},
    {Value, "x - (x - y)", "y"},
    {Value, "x - (x + y)", "0 - y"},
    {Value, "x - y - x", "0 - y"},
    {Value, "x + (0 - y)", "x - y"},
    {Value, "x - (0 - y)", "x + y"},
    {Value, "x*c0 + x", "x*(c0 + 1)"},
    {Value, "x*c0 - x", "x*(c0 - 1)"},
    {Value, "x - x*c0", "x*(1 - c0)"},
    {Value, "x*y + x*z", "x*(y + z)"},
    {Value, "x*y - x*z", "x*(y - z)"},
    {Value, "min(x, y) + max(x, y)", "x + y"},
};

constexpr Rule bit_rules[] = {
    {Value, "x & 0", "0"},
    {Value, "x & -1", "x"},
    {Value, "x & x", "x"},
    {Value, "x | 0", "x"},
    {Value, "x | -1", "-1"},
    {Value, "x | x", "x"},
    {Value, "x ^ 0", "x"},
    {Value, "x ^ x", "0"},
    {Value, "x ^ -1", "~x"},
    {Value, "~~x", "x"},
    {Value, "x & c0 & c1", "x & (c0 & c1)"},
    {Value, "x | c0 | c1", "x | (c0 | c1)"},
    {Value, "x ^ c0 ^ c1", "x ^ (c0 ^ c1)"},
    {Value, "x ^ y ^ y", "x"},
    {Value, "x & (x | y)", "x"},
    {Value, "x | x & y", "x"},
    {Value, "x & ~x", "0"},
    {Value, "x | ~x", "-1"},
    {Value, "x & y | x & z", "x & (y | z)"},
    {Value, "(x | y) & (x | z)", "x | y & z"},
    {Value, "x << 0", "x"},
    {Value, "x >> 0", "x"},
    {Value, "0 << x", "0"},
    {Value, "0 >> x", "0"},
};

std::vector<Rule> all_rules() {
  std::vector<Rule> table;
  const auto append = [&](std::span<const Rule> list) {
    for (const Rule& rule : list) table.push_back(rule);
  };
  append(extremum_rules);
  append(select_rules);
  append(logic_rules);
  append(compare_rules);
  append(arithmetic_rules);
  append(bit_rules);
  return table;
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = all_rules();
  return table;
}

}  // namespace sinter::algebra
