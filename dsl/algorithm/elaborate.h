#pragma once
// Elaboration: a user's expression -> an expression of the IR, where coordinates are Index and data
// is data. Coordinate position: arguments of calls, bounds, sizes. Runs when a definition is made.
//
//   user's text          coordinate                value
//   x + 1                x + 1 in Z                i32(x) + 1, wrapping
//   n (an i32 Param)     index(n)                  n
//   lut(x) (a u8 call)   index(lut(x))             lut(x)
//   x < w - 1            x < w - 1 in Z            x < w - 1 in Z

#include <memory>
#include <unordered_map>

#include "dsl/algorithm/entities.h"

namespace sinter {

class Elaborator {
 public:
  Expr coordinate(const Expr&);
  Expr value(const Expr&);
  /// A bool in coordinate position: its comparisons of i32 operands compare coordinates.
  Expr condition(const Expr&);

 private:
  Expr make_coordinate(const Expr&);
  Expr make_value(const Expr&);
  Expr make_condition(const Expr&);
  bool is_pure_coordinate(const Expr&);
  bool is_pure_condition(const Expr&);

  using Memo = std::unordered_map<const ir::Node*, Expr>;
  Memo coordinates_, values_, conditions_;
  std::unordered_map<const ir::Node*, bool> pure_;
  std::vector<ir::Ref> kept_;  // keys of the memos stay alive
};

/// Fuses products into the sums they are direct operands of, drops Strict. (f32 and f64)
Expr contract(const Expr& value);

/// Adds what `e` mentions to `references`.
void gather_references(const Expr& e, References& references, const FuncContents* self = nullptr);

}  // namespace sinter
