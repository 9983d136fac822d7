// sinter-ulp: compares a portable function with the C library's over all arguments of f32, or every
// n-th, or random ones of f64 and of pow. Prints the largest error in units of the last place and
// how many special values (NaN, infinities, zeros with their signs) are wrong; fails when the bound
// is broken.
//
//   sinter-ulp --function exp [--type f32|f64] [--step 1] [--samples 268435456] [--seed 1]
//   [--threads N] [--json]

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dsl/ir/batch.h"
#include "dsl/ir/portable_math.h"

namespace {

using sinter::Expr;
using sinter::Symbol;
using sinter::ir::Batch;
using sinter::ir::Op;

struct Options {
  Op op = Op::Exp;
  bool is_double = false;
  std::uint64_t step = 1;
  std::uint64_t samples = std::uint64_t{1} << 28;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  bool json = false;
};

/// The C library's value, in T: double is exact enough for f32 (its error is 2^-29 ulp), long
/// double for f64.
template <typename T>
T reference(Op op, T x, T y) {
  if (op == Op::Exp) return std::exp(x);
  if (op == Op::Exp2) return std::exp2(x);
  if (op == Op::Log) return std::log(x);
  if (op == Op::Log2) return std::log2(x);
  if (op == Op::Pow) return std::pow(x, y);
  if (op == Op::Sin) return std::sin(x);
  if (op == Op::Cos) return std::cos(x);
  if (op == Op::Tan) return std::tan(x);
  if (op == Op::Tanh) return std::tanh(x);
  if (op == Op::Erf) return std::erf(x);
  return T{1} / std::sqrt(x);
}

struct Report {
  double max_ulp = 0;
  double worst_x = 0, worst_y = 0;
  std::uint64_t checked = 0, wrong_specials = 0;
  double special_x = 0, special_y = 0;

  void merge(const Report& o) {
    if (o.max_ulp > max_ulp) {
      max_ulp = o.max_ulp;
      worst_x = o.worst_x;
      worst_y = o.worst_y;
    }
    if (o.wrong_specials > 0) {
      special_x = o.special_x;
      special_y = o.special_y;
    }
    checked += o.checked;
    wrong_specials += o.wrong_specials;
  }
};

/// Checks values of one type: narrow F, reference type Wide.
template <typename F, typename Wide>
class Checker {
 public:
  explicit Checker(const Options& options) : options_(options), batch_(make(options)) {}

  void add(F x, F y = F{}) {
    x_[count_] = x;
    y_[count_] = y;
    if (++count_ == Batch::Block) flush();
  }

  Report finish() {
    flush();
    return report_;
  }

 private:
  static Batch make(const Options& options) {
    const sinter::Type type = sinter::type_of<F>();
    const Symbol x = Symbol::fresh("x"), y = Symbol::fresh("y");
    std::vector<Expr> operands{sinter::ir::symbol(type, x)};
    if (options.op == Op::Pow) operands.push_back(sinter::ir::symbol(type, y));
    return {sinter::ir::expand_math(options.op, operands), {x, y}};
  }

  void flush() {
    const void* inputs[] = {x_.data(), y_.data()};
    batch_.run(inputs, value_.data(), count_);
    for (std::size_t i = 0; i < count_; ++i) check(i);
    report_.checked += count_;
    count_ = 0;
  }

  void check(std::size_t i) {
    const F value = value_[i];
    const Wide exact =
        reference<Wide>(options_.op, static_cast<Wide>(x_[i]), static_cast<Wide>(y_[i]));
    const F rounded = static_cast<F>(exact);
    if (same_bits(value, rounded) && std::isinf(rounded)) return;
    if (std::isnan(rounded) || std::isinf(value) != std::isinf(rounded) || std::isnan(value) ||
        exact == Wide{0} || value == F{0} || std::signbit(value) != std::signbit(rounded)) {
      if (same_bits(value, rounded) && exact != Wide{0}) {
        measure(i, value, exact);
        return;
      }
      // Next to overflow and underflow the other neighbour is within the bound.
      if (std::isnan(rounded) ? std::isnan(value)
                              : same_bits(value, rounded) || is_neighbour(value, rounded, exact))
        return;
      ++report_.wrong_specials;
      report_.special_x = static_cast<double>(x_[i]);
      report_.special_y = static_cast<double>(y_[i]);
      return;
    }
    measure(i, value, exact);
  }

  static bool same_bits(F a, F b) {
    using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  }
  static bool is_neighbour(F value, F rounded, Wide exact) {
    if (std::isnan(value) || std::signbit(value) != std::signbit(rounded) || exact == Wide{0})
      return false;
    return value == std::nextafter(rounded, value) && std::isfinite(exact);
  }

  void measure(std::size_t i, F value, Wide exact) {
    constexpr int mantissa = std::numeric_limits<F>::digits;
    int exponent = 0;
    (void)std::frexp(exact, &exponent);
    exponent = std::max(exponent, std::numeric_limits<F>::min_exponent);
    const Wide difference = std::fabs(static_cast<Wide>(value) - exact);
    const double ulp = static_cast<double>(std::ldexp(difference, mantissa - exponent));
    if (!(ulp > report_.max_ulp)) return;
    report_.max_ulp = ulp;
    report_.worst_x = static_cast<double>(x_[i]);
    report_.worst_y = static_cast<double>(y_[i]);
  }

  Options options_;
  Batch batch_;
  Report report_;
  std::size_t count_ = 0;
  std::vector<F> x_ = std::vector<F>(Batch::Block), y_ = x_, value_ = x_;
};

template <typename F>
std::vector<F> special_values() {
  using Limits = std::numeric_limits<F>;
  std::vector<F> result{0,
                        Limits::denorm_min(),
                        Limits::min(),
                        F(1e-20),
                        F(0.25),
                        F(0.5),
                        F(1) / 3,
                        F(0.75),
                        std::nextafter(F(1), F(0)),
                        1,
                        std::nextafter(F(1), F(2)),
                        F(1.5),
                        2,
                        3,
                        4,
                        5,
                        10,
                        F(16777215),
                        F(16777216),
                        F(9007199254740991.0),
                        F(9007199254740992.0),
                        F(1e20),
                        Limits::max(),
                        Limits::infinity(),
                        Limits::quiet_NaN()};
  for (std::size_t i = 0, n = result.size(); i < n; ++i) result.push_back(-result[i]);
  return result;
}

/// Arguments where pow is neither 0 nor infinite most of the time, every binade of x alike.
template <typename F>
void add_pow_samples(Checker<F, std::conditional_t<sizeof(F) == 4, double, long double>>& checker,
                     std::uint64_t samples, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const std::uint64_t r = random();
    F x, y;
    if (i % 8 == 0) {
      x = std::bit_cast<F>(static_cast<Bits>(r));
      y = std::bit_cast<F>(static_cast<Bits>(random()));
    } else {
      const double spread = static_cast<double>(i % 8) * 0.125;
      const int exponent =
          static_cast<int>(static_cast<double>(std::numeric_limits<F>::max_exponent) * spread *
                           spread) +
          1;
      const double u = static_cast<double>(r >> 11) * 0x1p-53 * 2 - 1;
      x = static_cast<F>(std::exp2(u * exponent));
      const double limit =
          (std::numeric_limits<F>::max_exponent + std::numeric_limits<F>::digits + 2) /
          std::fabs(std::log2(static_cast<double>(x)));
      const double v = static_cast<double>(random() >> 11) * 0x1p-53 * 2 - 1;
      y = static_cast<F>(std::fmin(limit, 1e30) * v);
      if (i % 16 == 3) y = std::nearbyint(y);
      if (i % 32 == 3) x = -x;
    }
    checker.add(x, y);
  }
}

template <typename F>
Report check_part(const Options& o, unsigned part) {
  using Wide = std::conditional_t<sizeof(F) == 4, double, long double>;
  Checker<F, Wide> checker(o);
  if (part == 0) {
    for (F x : special_values<F>()) {
      if (o.op != Op::Pow) checker.add(x);
      else
        for (F y : special_values<F>()) checker.add(x, y);
    }
  }
  if (o.op == Op::Pow) {
    add_pow_samples<F>(checker, o.samples / o.threads, o.seed * 1000 + part);
  } else if constexpr (sizeof(F) == 4) {
    for (std::uint64_t i = part * o.step; i < std::uint64_t{1} << 32; i += o.step * o.threads) {
      checker.add(std::bit_cast<float>(static_cast<std::uint32_t>(i)));
    }
  } else {
    std::mt19937_64 random(o.seed * 1000 + part);
    for (std::uint64_t i = 0; i < o.samples / o.threads; ++i) {
      // Half of the samples around 1, where most functions change; half from all bit patterns.
      const std::uint64_t r = random();
      const double near =
          std::bit_cast<double>((r & 0x800fffffffffffff) | ((1023 - 12 + (r >> 52) % 24) << 52));
      checker.add(i % 2 == 0 ? near : std::bit_cast<double>(r));
    }
  }
  return checker.finish();
}

Report check(const Options& o) {
  std::vector<std::thread> threads;
  std::vector<Report> reports(o.threads);
  for (unsigned part = 0; part < o.threads; ++part) {
    threads.emplace_back([&, part] {
      reports[part] = o.is_double ? check_part<double>(o, part) : check_part<float>(o, part);
    });
  }
  for (std::thread& t : threads) t.join();
  Report total;
  for (const Report& r : reports) total.merge(r);
  return total;
}

int usage() {
  std::fprintf(stderr,
               "usage: sinter-ulp --function exp|exp2|log|log2|pow|sin|cos|tan|tanh|erf|rsqrt "
               "[--type f32|f64]\n"
               "                  [--step N] [--samples N] [--seed N] [--threads N] [--json]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") {
      o.json = true;
      continue;
    }
    if (i + 1 == argc) return usage();
    const std::string value = argv[++i];
    if (option == "--function") o.op = sinter::ir::op_named(value);
    else if (option == "--type") o.is_double = value == "f64";
    else if (option == "--step")
      o.step = std::max<std::uint64_t>(1, std::strtoull(value.c_str(), nullptr, 0));
    else if (option == "--samples") o.samples = std::strtoull(value.c_str(), nullptr, 0);
    else if (option == "--seed") o.seed = std::strtoull(value.c_str(), nullptr, 0);
    else if (option == "--threads")
      o.threads = std::max(1U, static_cast<unsigned>(std::atoi(value.c_str())));
    else return usage();
  }
  if (o.op < Op::Exp || o.op > Op::Rsqrt) return usage();
  const Report r = check(o);
  const char* name = sinter::ir::info(o.op).name;
  const char* format = o.json ? "{\"function\": \"%s\", \"type\": \"%s\", \"checked\": %llu, "
                                "\"max_ulp\": %.4f, \"worst\": [\"%a\", \"%a\"], "
                                "\"wrong_specials\": %llu, \"wrong\": [\"%a\", \"%a\"]}\n"
                              : "%s %s: %llu checked, at most %.4f ulp, worst at (%a, %a); %llu "
                                "wrong special values, e.g. (%a, %a)\n";
  std::printf(format, name, o.is_double ? "f64" : "f32", static_cast<unsigned long long>(r.checked),
              r.max_ulp, r.worst_x, r.worst_y, static_cast<unsigned long long>(r.wrong_specials),
              r.special_x, r.special_y);
  const double bound = o.op == Op::Pow || o.op == Op::Tanh || o.is_double ? 2 : 1;
  return r.max_ulp <= bound && r.wrong_specials == 0 ? 0 : 1;
}
