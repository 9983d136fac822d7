#pragma once
// Small pipelines that the tests of directives schedule.

#include <sinter/func.h>
#include <sinter/reduction.h>

namespace sinter::test {

/// g(x, y) = f(x, y - 1) + f(x, y): f is a producer, g the output.
struct TwoStages {
  Var x{"x"}, y{"y"};
  Func f{"f"}, g{"g"};
  TwoStages() {
    f(x, y) = x * 3 + y * y;
    g(x, y) = f(x, y - 1) + f(x, y);
  }
};

/// s(x) += x * r.x - r.y over 16 x 8 points, in integers or floats.
struct Sum {
  Var x{"x"};
  RDom r{0, 16, 0, 8, "r"};
  Func s{"s"};
  explicit Sum(bool floats = false) {
    if (floats) {
      s(x) = 0.5f;
      s(x) += f32(x * r.x - r.y) / 7.0f;
    } else {
      s(x) = 1;
      s(x) += x * r.x - r.y;
    }
  }
};

/// c(x) = x, then c(r + 1) += c(r): each step reads the one before.
struct Scan {
  Var x{"x"};
  RDom r{0, 40, "r"};
  Func c{"c"};
  Scan() {
    c(x) = x;
    c(r + 1) += c(r);
  }
};

/// h(x) = 0, then h(r * r % 8) += 1.
struct Histogram {
  Var x{"x"};
  RDom r{0, 100, "r"};
  Func h{"h"};
  Histogram() {
    h(x) = 0;
    h(clamp(r * r % 8, 0, 7)) += 1;
  }
};

}  // namespace sinter::test
