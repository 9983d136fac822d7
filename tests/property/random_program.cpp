#include "tests/property/random_program.h"

#include <algorithm>
#include <optional>

#include <sinter/sinter.h>

#include "dsl/algorithm/collect.h"
#include "dsl/algorithm/entities.h"
#include "tests/property/random.h"

namespace sinter::test {

namespace {

constexpr long MaximumCost = 120;  // nodes that an inlined call may become
constexpr long MaximumWork = 800;  // steps that one element may take with everything inline

/// A stage as later ones see it.
struct Known {
  Func func;
  int rank = 0;
  std::vector<Type> types;
  long cost = 1, work = 1;
  int stride = 1;  // largest product of strides of accesses down to the images
  bool used = false;
  std::vector<std::optional<std::pair<int, int>>> written;  // per dimension: what updates touch
};

struct KnownImage {
  ImageParam param;
  bool fixed = false;
};

/// What an expression may mention, and what it may still cost.
struct Scope {
  std::vector<Expr> variables;
  int accesses = 3;
  long cost = 1, work = 1;
  int stride = 1;
};

class Maker {
 public:
  Maker(std::uint64_t seed, int level) : random_(seed), level_(level) {}

  Instance run() {
    make_images();
    const int count = level_ == 0 ? random_.in(2, 4) : random_.in(2, 7);
    for (int i = 0; i < count; ++i) make_stage(i);
    choose_outputs();
    return std::move(result_);
  }

 private:
  // --- inputs

  void make_images() {
    const int count = random_.in(1, 2);
    for (int i = 0; i < count; ++i) {
      KnownImage image;
      const int rank = random_.in(1, level_ == 0 ? 2 : 3);
      image.param = ImageParam(any_type(), rank, "in" + std::to_string(i));
      image.fixed = level_ > 0 && random_.chance(40);
      if (image.fixed) {
        std::vector<Extent> box;
        for (int d = 0; d < rank; ++d) box.push_back({random_.in(-3, 3), random_.in(1, 9)});
        result_.images[image.param.contents()->id] = box;
      }
      images_.push_back(image);
    }
  }

  Type any_type() {
    static const std::vector<Type> Integers{UInt(8), UInt(16), Int(16), Int(32), Int(32)};
    static const std::vector<Type> Rare{Int(8),    UInt(32), Int(64), UInt(64),
                                        Float(16), BFloat(), Bool(),  Float(64)};
    if (level_ == 0) return random_.pick(Integers);
    if (random_.chance(15)) return random_.pick(Rare);
    return random_.chance(30) ? Float(32) : random_.pick(Integers);
  }

  Expr parameter(Type type) {
    const std::string name = "p" + std::to_string(++parameters_);
    ir::Scalar value =
        type.is_float()
            ? ir::Scalar::of_real(type, random_.in(-8, 8) / 4.0)
            : ir::Scalar::of_integer(
                  type, type.is_bool() ? random_.in(0, 1) : random_.in(type.is_uint() ? 0 : -3, 6));
    const auto declare = [&](const auto& param) {
      result_.scalars[param.contents()->id] = value;
      return static_cast<Expr>(param);
    };
    if (type == Int(32)) return declare(Param<int>(name));
    if (type == UInt(8)) return declare(Param<std::uint8_t>(name));
    if (type == Int(16)) return declare(Param<std::int16_t>(name));
    if (type == UInt(16)) return declare(Param<std::uint16_t>(name));
    if (type == Float(32)) return declare(Param<float>(name));
    if (type == Bool()) return declare(Param<bool>(name));
    --parameters_;
    return literal(type);
  }

  /// A parameter of type i32 within [low, high], for coordinates.
  Expr size_parameter(int low, int high) {
    Param<int> param("n" + std::to_string(++parameters_));
    result_.scalars[param.contents()->id] = ir::Scalar::of_integer(Int(32), random_.in(low, high));
    return param;
  }

  // --- expressions

  static Expr to(Type type, const Expr& e) {
    if (e.type() == type) return e;
    if (type.is_bool()) return e != cast(e.type(), 0);
    if (e.type().is_bool()) return select(e, cast(type, 1), cast(type, 0));
    return cast(type, e);
  }

  Expr literal(Type type) {
    if (type.is_bool()) return Expr(random_.chance(50));
    if (type.is_float()) return cast(type, static_cast<float>(random_.in(-20, 20)) / 8.0f);
    if (random_.chance(8)) return cast(type, random_.in(-70000, 70000));
    return cast(type, random_.in(type.is_uint() ? 0 : -5, 9));
  }

  Expr constant_offset(const Expr& e, int low, int high) {
    const int k = random_.in(low, high);
    return k == 0 ? e : e + k;
  }

  Expr any_variable(const Scope& scope, std::size_t d) {
    if (scope.variables.empty()) return Expr(random_.in(-1, 3));
    if (random_.chance(75)) return scope.variables[d % scope.variables.size()];
    return random_.pick(scope.variables);
  }

  /// A coordinate for dimension d of a callee; `stride`: the callee's own.
  Expr coordinate(Scope& scope, std::size_t d, int stride, bool nested) {
    const Expr v = any_variable(scope, d);
    const int choice = random_.in(0, 99);
    if (choice < 58 || level_ == 0) return constant_offset(v, -2, 2);
    if (choice < 65) {
      if (stride > 2) return v;
      scope.stride = std::max(scope.stride, 2 * stride);
      return constant_offset(v * 2, -1, 1);
    }
    if (choice < 71) return constant_offset(v / 2, -1, 1);
    if (choice < 74) return v % random_.in(2, 5);
    if (choice < 78) return clamp(constant_offset(v, -2, 2), random_.in(-2, 1), random_.in(2, 9));
    if (choice < 81) return Expr(random_.in(-1, 4));
    if (choice < 84) return random_.in(-1, 9) - v;
    if (choice < 87) {
      if (stride > 2) return v;
      scope.stride = std::max(scope.stride, 2 * stride);
      return v + any_variable(scope, d + 1);
    }
    if (choice < 89) return v + size_parameter(-2, 3);
    if (choice < 90) return promise_clamped(v % 5, 0, 4) + random_.in(-1, 1);
    if (choice < 91)
      return select(v < random_.in(0, 6), constant_offset(v, -1, 1), random_.in(0, 6) - v);
    if (nested || scope.accesses <= 0) return min(v, random_.in(0, 9));
    const Expr data = access(scope, true);
    if (data.type().is_bool() || data.type().bits == 64) return max(v, random_.in(-2, 4));
    const int low = random_.in(-2, 1);
    return clamp(cast(Int(32), data), low, low + random_.in(0, 9));
  }

  Expr image_access(Scope& scope, bool nested) {
    const KnownImage& image = random_.pick(images_);
    std::vector<Expr> at;
    for (int d = 0; d < image.param.dimensions(); ++d) {
      Expr c = coordinate(scope, static_cast<std::size_t>(d), 1, nested);
      if (image.fixed) c = clamp(c, image.param.dim(d).min(), image.param.dim(d).max());
      at.push_back(c);
    }
    scope.cost += 1;
    scope.work += 1;
    return image.param(at);
  }

  Expr access(Scope& scope, bool nested = false) {
    --scope.accesses;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const Known& k = known_[i];
      if (k.cost + scope.cost > MaximumCost || k.work + scope.work > MaximumWork) continue;
      candidates.push_back(i);
      if (!k.used) candidates.insert(candidates.end(), 3, i);
    }
    if (candidates.empty() || random_.chance(25)) return image_access(scope, nested);
    Known& callee = known_[random_.pick(candidates)];
    callee.used = true;
    scope.cost += callee.cost;
    scope.work += callee.work;
    scope.stride = std::max(scope.stride, callee.stride);
    std::vector<Expr> at;
    for (int d = 0; d < callee.rank; ++d)
      at.push_back(coordinate(scope, static_cast<std::size_t>(d), callee.stride, nested));
    const FuncRef call = callee.func(at);
    if (callee.types.size() == 1) return call;
    return call[random_.index(callee.types.size())];
  }

  Expr leaf(Scope& scope, Type type) {
    const int choice = random_.in(0, 99);
    if (choice < 65 && scope.accesses > 0) return to(type, access(scope));
    if (choice < 80 || scope.variables.empty()) return literal(type);
    if (choice < 88) return parameter(type);
    Expr e = random_.pick(scope.variables);
    if (random_.chance(50)) e = e * random_.in(1, 5) - random_.pick(scope.variables);
    return to(type, e);
  }

  Expr condition(Scope& scope, int depth) {
    const int choice = random_.in(0, 99);
    if (choice < 25 && !scope.variables.empty()) {
      // over coordinates only
      const Expr a = random_.pick(scope.variables), b = random_.pick(scope.variables);
      if (choice < 10) return a < random_.in(-2, 9);
      if (choice < 18) return a + b >= random_.in(0, 9);
      return a % random_.in(2, 3) == random_.in(0, 1);
    }
    if (depth <= 0) return leaf(scope, Bool());
    if (choice < 35) return condition(scope, depth - 1) && condition(scope, depth - 1);
    if (choice < 42) return condition(scope, depth - 1) || condition(scope, depth - 1);
    if (choice < 46) return !condition(scope, depth - 1);
    Type type = any_type();
    if (type.is_bool()) type = Int(16);
    const Expr a = value(scope, type, depth - 1), b = value(scope, type, depth - 1);
    switch (random_.in(0, 5)) {
      case 0:
        return a < b;
      case 1:
        return a <= b;
      case 2:
        return a > b;
      case 3:
        return a >= b;
      case 4:
        return a == b;
      default:
        return a != b;
    }
  }

  Expr value(Scope& scope, Type type, int depth) {
    if (type.is_bool()) return condition(scope, depth);
    if (type.is_float() && type.bits == 16) return cast(type, value(scope, Float(32), depth));
    if (depth <= 0 || random_.chance(12)) return leaf(scope, type);
    if (level_ > 0 && random_.chance(4)) return inline_reduction(scope, type);
    const auto sub = [&] { return value(scope, type, depth - 1); };
    const int choice = random_.in(0, 99);
    if (choice < 26) {
      const Expr a = sub();
      return a + sub();
    }
    if (choice < 36) {
      const Expr a = sub();
      return a - sub();
    }
    if (choice < 50) {
      const Expr a = sub();
      return a * sub();
    }
    if (choice < 57) {
      const Expr a = sub();
      return min(a, sub());
    }
    if (choice < 64) {
      const Expr a = sub();
      return max(a, sub());
    }
    if (choice < 72) {
      const Expr c = condition(scope, depth - 1), a = sub();
      return select(c, a, sub());
    }
    if (choice < 79) {
      Type other = any_type();
      return to(type, value(scope, other, depth - 1));
    }
    if (choice < 84) {
      const Expr a = sub();
      return a / (random_.chance(60) ? literal(type) : sub());
    }
    if (type.is_float()) return float_operator(scope, type, depth);
    return integer_operator(scope, type, depth);
  }

  Expr float_operator(Scope& scope, Type type, int depth) {
    const Expr a = value(scope, type, depth - 1);
    switch (random_.in(0, type.bits == 32 ? 19 : 6)) {
      case 0:
        return abs(a);
      case 1:
        return floor(a);
      case 2:
        return sqrt(a);
      case 3:
        return round(a);
      case 4:
        return -a;
      case 5:
        return strict(a * value(scope, type, depth - 1)) + literal(type);
      case 6:
        return trunc(a);
      case 7:
        return exp(a);
      case 8:
        return sin(a);
      case 9:
        return log(abs(a));
      case 10:
        return tanh(a);
      case 11:
        return rsqrt(a);
      case 12:
        return pow(abs(a), value(scope, type, depth - 1));
      case 13:
        return erf(a);
      case 14:
        return ceil(a) + fract(a);
      case 15:
        return lerp(a, value(scope, type, depth - 1), select(condition(scope, 0), 0.25f, 1.0f));
      case 16:
        return select(is_nan(a), literal(type), a);
      case 17:
        return reinterpret(type, reinterpret(UInt(32), a) ^ cast(UInt(32), random_.in(0, 7)));
      default:
        return a * literal(type) + value(scope, type, depth - 1);
    }
  }

  Expr integer_operator(Scope& scope, Type type, int depth) {
    const Expr a = value(scope, type, depth - 1);
    const auto b = [&] { return value(scope, type, depth - 1); };
    switch (random_.in(0, 19)) {
      case 0:
        return a % (random_.chance(60) ? literal(type) : b());
      case 1:
        return a & b();
      case 2:
        return a | b();
      case 3:
        return a ^ b();
      case 4:
        return a << cast(type, random_.in(0, 9));
      case 5:
        return a >> cast(type, random_.in(0, 9));
      case 6:
        return a << b();
      case 7:
        return to(type, abs(a));
      case 8:
        return to(type, absd(a, b()));
      case 9:
        return type.bits < 64 ? saturating_add(a, b()) : a + b();
      case 10:
        return type.bits < 64 ? to(type, halving_add(a, b())) : a - b();
      case 11:
        return popcount(a);
      case 12:
        return count_leading_zeros(a);
      case 13:
        return count_trailing_zeros(a);
      case 14:
        return a >> b();
      case 15:
        return type.bits < 64 ? saturating_sub(a, b()) : -a;
      case 16:
        return type.bits < 64 ? to(type, rounding_halving_add(a, b())) : a;
      case 17:
        return type.bits < 64 ? to(type, widening_mul(a, b())) : a * b();
      case 18:
        return saturating_cast(type, value(scope, Int(32), depth - 1));
      default:
        return ~a;
    }
  }

  Expr inline_reduction(Scope& scope, Type type) {
    if (type.is_bool() || scope.accesses <= 0) return leaf(scope, type);
    const int extent = random_.in(1, 4);
    if (scope.work * extent * 4 > MaximumWork) return leaf(scope, type);
    RDom r(random_.in(-2, 1), extent);
    Scope inner = scope;
    inner.accesses = std::min(scope.accesses, 2);
    const int given = inner.accesses;
    inner.variables.push_back(Expr(r));
    inner.work = inner.cost = 1;
    const Expr operand = to(type, access(inner)) + to(type, r);
    scope.accesses -= given - inner.accesses;
    scope.work += inner.work * extent * 2;
    scope.cost += inner.cost;
    scope.stride = std::max(scope.stride, inner.stride);
    switch (random_.in(0, 3)) {
      case 0:
        return maximum(r, operand);
      case 1:
        return minimum(r, operand);
      default:
        return sum(r, operand);
    }
  }

  // --- stages

  void make_stage(int number) {
    Known stage;
    const std::string name = "s" + std::to_string(number);
    if (level_ > 0 && random_.chance(8) && boundary_stage(stage)) {
      known_.push_back(std::move(stage));
      return;
    }
    const bool reduces = level_ > 0 && random_.chance(45);
    stage.rank = random_.chance(45) ? 2 : random_.chance(55) ? 1 : 3;
    if (reduces && random_.chance(8)) stage.rank = 0;
    stage.func = Func(name);
    stage.written.resize(static_cast<std::size_t>(stage.rank));
    const std::size_t components = level_ > 0 && random_.chance(12) ? random_.index(2) + 2 : 1;
    for (std::size_t c = 0; c < components; ++c) stage.types.push_back(any_type());
    if (components > 1 && random_.chance(50)) stage.types.assign(components, stage.types[0]);

    std::vector<Var> vars;
    Scope scope;
    for (int d = 0; d < stage.rank; ++d) {
      vars.push_back(variables_[static_cast<std::size_t>(d)]);
      scope.variables.push_back(vars.back());
    }
    scope.accesses = reduces ? random_.in(0, 2) : random_.in(1, 3);
    std::vector<Expr> values;
    for (Type t : stage.types) {
      values.push_back(reduces && random_.chance(50) ? literal(t)
                                                     : value(scope, t, random_.in(1, 3)));
    }
    define(stage.func(vars), values);
    stage.cost = scope.cost;
    stage.work = scope.work;
    stage.stride = scope.stride;
    if (reduces) {
      const int updates = random_.chance(70) ? 1 : random_.in(2, 3);
      for (int u = 0; u < updates; ++u) add_update(stage, vars, u);
    }
    known_.push_back(std::move(stage));
  }

  static void define(const FuncRef& left, const std::vector<Expr>& values) {
    if (values.size() == 1) left = values[0];
    else left = Tuple(values);
  }

  bool boundary_stage(Known& stage) {
    for (const KnownImage& image : images_) {
      if (!image.fixed) continue;
      stage.rank = image.param.dimensions();
      stage.types = {image.param.type()};
      stage.written.resize(static_cast<std::size_t>(stage.rank));
      stage.cost = 2;
      switch (random_.in(0, 4)) {
        case 0:
          stage.func = BoundaryConditions::repeat_edge(image.param);
          break;
        case 1:
          stage.func =
              BoundaryConditions::constant_exterior(image.param, literal(image.param.type()));
          break;
        case 2:
          stage.func = BoundaryConditions::repeat_image(image.param);
          break;
        case 3:
          stage.func = BoundaryConditions::mirror_image(image.param);
          break;
        default:
          stage.func = BoundaryConditions::mirror_interior(image.param);
          break;
      }
      return true;
    }
    return false;
  }

  struct Update {
    std::vector<Expr> at;
    Scope scope;
    RDom domain;
    long points = 1;
  };

  void note_written(Known& stage, std::size_t d, int low, int high) {
    auto& range = stage.written[d];
    if (!range) range = {low, high};
    range->first = std::min(range->first, low);
    range->second = std::max(range->second, high);
  }

  static Expr combine(int op, Type type, const Expr& a, const Expr& b) {
    if (type.is_bool()) return op % 2 == 0 ? a && b : a || b;
    switch (op) {
      case 0:
      case 1:
        return a + b;
      case 2:
        return a * b;
      case 3:
        return min(a, b);
      case 4:
        return max(a, b);
      case 5:
        return type.is_float() ? a + b : a ^ b;
      case 6:
        return type.is_float() ? a - b : a | b;
      default:
        return a - b;
    }
  }

  std::vector<Expr> own_values(const Known& stage, const std::vector<Expr>& at) {
    std::vector<Expr> all;
    const FuncRef own = stage.func(at);
    for (std::size_t c = 0; c < stage.types.size(); ++c) {
      all.push_back(stage.types.size() == 1 ? static_cast<Expr>(own) : static_cast<Expr>(own[c]));
    }
    return all;
  }

  void add_update(Known& stage, const std::vector<Var>& vars, int number) {
    Update u;
    for (const Var& v : vars) {
      u.at.push_back(v);
      u.scope.variables.push_back(v);
    }
    u.scope.accesses = random_.in(1, 2);
    const int kind = random_.in(0, 99);
    std::vector<Expr> previous = u.at;  // where the value before is read
    bool self = true;
    if (kind < 45) {
      fold_domain(u, number);
    } else if (kind < 60 && stage.rank > 0) {
      histogram(stage, u, number);
      previous = u.at;
    } else if (kind < 80 && stage.rank > 0) {
      previous = scan(stage, u, number);
    } else if (kind < 90 && stage.rank > 0) {
      // one row or column
      const std::size_t d = random_.index(vars.size());
      const int at = random_.in(0, 3);
      u.at[d] = Expr(at);
      u.scope.variables[d] = Expr(at);
      note_written(stage, d, at, at);
      if (random_.chance(40)) fold_domain(u, number);
      previous = u.at;
    } else {
      self = random_.chance(70);  // a pure update
    }
    const int op = random_.in(0, 7);
    std::vector<Expr> values;
    const std::vector<Expr> own = own_values(stage, previous);
    for (std::size_t c = 0; c < stage.types.size(); ++c) {
      const Type t = stage.types[c];
      const Expr operand = value(u.scope, t, random_.in(0, 2));
      if (!self) values.push_back(operand);
      else if (random_.chance(85))
        values.push_back(to_declared(t, combine(op, t, own[c], operand)));
      else values.push_back(to_declared(t, select(condition(u.scope, 1), own[c], operand)));
    }
    if (u.domain.defined() && random_.chance(25)) add_predicate(u);
    define(stage.func(u.at), values);
    stage.cost += u.scope.cost;
    stage.work += u.scope.work * u.points;
    stage.stride = std::max(stage.stride, u.scope.stride);
  }

  /// Narrow floats may be left in f32: the definition rounds them.
  Expr to_declared(Type type, const Expr& e) {
    if (type.is_float() && type.bits == 16 && e.type() == Float(32) && random_.chance(60)) return e;
    return to(type, e);
  }

  void fold_domain(Update& u, int number) {
    const int rank = random_.chance(65) ? 1 : 2;
    std::vector<std::pair<Expr, Expr>> region;
    for (int d = 0; d < rank; ++d) {
      const int extent = random_.in(1, rank == 1 ? 11 : 5);
      if (random_.chance(8)) region.emplace_back(random_.in(-1, 1), size_parameter(0, 6));
      else region.emplace_back(random_.in(-2, 2), extent);
      u.points *= extent;
    }
    u.domain = RDom(region, "r" + std::to_string(number));
    for (int d = 0; d < rank; ++d) u.scope.variables.push_back(u.domain[d]);
    if (random_.chance(50))
      std::rotate(u.scope.variables.begin(), u.scope.variables.end() - rank,
                  u.scope.variables.end());
  }

  void histogram(Known& stage, Update& u, int number) {
    fold_domain(u, number);
    const std::size_t d = random_.index(u.at.size());
    const int low = random_.in(-2, 2), high = low + random_.in(0, 9);
    // The variable of that dimension has no meaning any more.
    u.scope.variables = without(u.at.size(), d, u.domain);
    Expr data = access(u.scope, true);
    if (data.type().is_bool() || data.type().bits == 64) data = to(Int(32), data);
    u.at[d] = random_.chance(75) ? clamp(cast(Int(32), data), low, high)
                                 : clamp(Expr(u.domain[0]) * 2 - 1, low, high);
    note_written(stage, d, low, high);
    u.points *= 2;
  }

  /// The variables of the pure dimensions other than d, and those of the domain.
  std::vector<Expr> without(std::size_t rank, std::size_t d, const RDom& domain) {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < rank; ++i) {
      if (i != d) all.push_back(variables_[i]);
    }
    for (int i = 0; i < domain.dimensions(); ++i) all.push_back(domain[i]);
    return all;
  }

  std::vector<Expr> scan(Known& stage, Update& u, int number) {
    const std::size_t d = random_.index(u.at.size());
    const int extent = random_.in(1, 12), low = random_.in(-1, 3), distance = random_.in(1, 2);
    u.domain = RDom(low, extent, "r" + std::to_string(number));
    const Expr r = u.domain[0];
    const bool backwards = random_.chance(25);
    const int end = low + extent - 1;
    u.at[d] = backwards ? end + low - r : r;
    std::vector<Expr> previous = u.at;
    previous[d] = backwards ? u.at[d] + distance : u.at[d] - distance;
    note_written(stage, d, backwards ? low : low - distance, backwards ? end + distance : end);
    u.scope.variables[d] = r;
    u.points *= extent;
    return previous;
  }

  void add_predicate(Update& u) {
    const Expr r = u.domain[0];
    switch (random_.in(0, 4)) {
      case 0:
        u.domain.where(r < random_.in(0, 4));
        break;
      case 1:
        u.domain.where(r + random_.pick(u.scope.variables) <= random_.in(1, 9));
        break;
      case 2:
        u.domain.where(r % 2 == random_.in(0, 1));
        break;
      case 3:
        u.domain.where(random_.pick(u.scope.variables) >= r && r != 1);
        break;
      default: {
        Scope scope = u.scope;
        scope.accesses = 1;
        const Expr data = access(scope, true);
        u.domain.where(to(Float(32), data) > 1.0f);
        u.scope.cost = scope.cost;
        u.scope.work = scope.work;
        u.scope.stride = std::max(u.scope.stride, scope.stride);
      }
    }
  }

  // --- outputs

  void choose_outputs() {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const bool last = i + 1 == known_.size();
      if (last || (!known_[i].used && random_.chance(60)) || random_.chance(4)) chosen.push_back(i);
    }
    std::vector<Func> outputs;
    for (std::size_t i : chosen) {
      const Known& stage = known_[i];
      static const int Largest[4][3] = {{0, 0, 0}, {37, 0, 0}, {21, 9, 0}, {11, 5, 3}};
      std::vector<Extent> box;
      for (std::size_t d = 0; d < static_cast<std::size_t>(stage.rank); ++d) {
        Extent e{random_.chance(50) ? 0 : random_.in(-7, 7), random_.in(1, Largest[stage.rank][d])};
        if (random_.chance(30)) e.extent = std::min(Largest[stage.rank][d], (e.extent + 3) / 4 * 4);
        if (stage.written[d]) {
          const auto [low, high] = *stage.written[d];
          e.min = std::min(e.min, low);
          e.extent = std::max(e.extent, high - e.min + 1);
        }
        box.push_back(e);
      }
      outputs.push_back(stage.func);
      result_.boxes.push_back(std::move(box));
    }
    result_.algorithm = collect(outputs);
    result_.data_seed = random_.next();
  }

  Random random_;
  int level_;
  Instance result_;
  std::vector<Known> known_;
  std::vector<KnownImage> images_;
  std::vector<Var> variables_{Var("x"), Var("y"), Var("z")};
  int parameters_ = 0;
};

}  // namespace

Instance random_program(std::uint64_t seed, int level) { return Maker(seed, level).run(); }

}  // namespace sinter::test
