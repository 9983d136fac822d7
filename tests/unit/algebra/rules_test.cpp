// Every rule is proved by Z3: coordinates over Int, data over bit vectors of 8, 16 and 32 bits,
// signed and unsigned; and every rule makes the expression smaller, so that rewriting ends.

#include "support.h"

#include <z3++.h>

#include <future>
#include <iostream>

#include "dsl/algebra/rule_engine.h"

namespace sinter::algebra::testing {
namespace {

using ir::Op;

/// The meaning of a rule's expressions in one theory. Int when width is 0.
class Translator {
 public:
  Translator(z3::context& context, unsigned width, bool is_signed)
      : c_(context), width_(width), signed_(is_signed) {}

  z3::expr operator()(const Expr& e) {
    if (e->op == Op::Literal)
      return e->type.is_bool() ? c_.bool_val(e->integer != 0) : number(e->integer);
    if (e->op == Op::Symbol) {
      const std::string& name = e->symbol.name();
      if (const auto it = fixed.find(name); it != fixed.end()) return number(it->second);
      if (e->type.is_bool()) return c_.bool_const(name.c_str());
      return width_ == 0 ? c_.int_const(name.c_str()) : c_.bv_const(name.c_str(), width_);
    }
    std::vector<z3::expr> a;
    for (const ir::Ref& arg : e->args) a.push_back((*this)(Expr(arg)));
    if (e->op == Op::Add) return a[0] + a[1];
    if (e->op == Op::Sub) return a[0] - a[1];
    if (e->op == Op::Mul) return a[0] * a[1];
    if (e->op == Op::Div) return z3::ite(a[1] == number(0), number(0), quotient(a[0], a[1]));
    if (e->op == Op::Mod) return z3::ite(a[1] == number(0), number(0), remainder(a[0], a[1]));
    if (e->op == Op::Min) return z3::ite(less(a[1], a[0]), a[1], a[0]);
    if (e->op == Op::Max) return z3::ite(less(a[0], a[1]), a[1], a[0]);
    if (e->op == Op::Equal) return a[0] == a[1];
    if (e->op == Op::NotEqual) return a[0] != a[1];
    if (e->op == Op::Less) return less(a[0], a[1]);
    if (e->op == Op::LessEqual) return !less(a[1], a[0]);
    if (e->op == Op::And) return a[0] && a[1];
    if (e->op == Op::Or) return a[0] || a[1];
    if (e->op == Op::Not) return !a[0];
    if (e->op == Op::Select) return z3::ite(a[0], a[1], a[2]);
    if (e->op == Op::BitAnd) return a[0] & a[1];
    if (e->op == Op::BitOr) return a[0] | a[1];
    if (e->op == Op::BitXor) return a[0] ^ a[1];
    if (e->op == Op::BitNot) return ~a[0];
    if (e->op == Op::ShiftLeft) return shift(a[0], a[1], true);
    if (e->op == Op::ShiftRight) return shift(a[0], a[1], false);
    ADD_FAILURE() << "no translation for " << ir::print(e);
    return c_.bool_val(false);
  }

  std::map<std::string, std::int64_t> fixed;  // literals given a value

 private:
  z3::expr number(std::int64_t v) { return width_ == 0 ? c_.int_val(v) : c_.bv_val(v, width_); }
  z3::expr less(const z3::expr& a, const z3::expr& b) {
    if (width_ == 0 || signed_) return a < b;
    return z3::ult(a, b);
  }
  z3::expr remainder(const z3::expr& a, const z3::expr& b) {
    if (width_ == 0) return z3::mod(a, b);  // SMT-LIB's Int division is Euclidean
    if (!signed_) return z3::urem(a, b);
    const z3::expr r = z3::srem(a, b);
    return z3::ite(r < 0, z3::ite(b < 0, r - b, r + b), r);
  }
  z3::expr quotient(const z3::expr& a, const z3::expr& b) {
    if (width_ == 0) return a / b;
    if (!signed_) return z3::udiv(a, b);
    const z3::expr truncated = a / b;
    return z3::ite(z3::srem(a, b) < 0, z3::ite(b < 0, truncated + 1, truncated - 1), truncated);
  }
  z3::expr shift(const z3::expr& a, const z3::expr& by, bool left) {
    const auto to_left = [&](const z3::expr& n) { return z3::shl(a, n); };
    const auto to_right = [&](const z3::expr& n) {
      return signed_ ? z3::ashr(a, n) : z3::lshr(a, n);
    };
    if (!signed_) return left ? to_left(by) : to_right(by);
    return z3::ite(by < 0, left ? to_right(-by) : to_left(-by), left ? to_left(by) : to_right(by));
  }

  z3::context& c_;
  unsigned width_;
  bool signed_;
};

struct ParsedRule {
  Expr before, after, when;
};

ParsedRule parse(const Rule& rule) {
  const auto names = rule_names();
  return {ir::parse_expr(rule.before, names), ir::parse_expr(rule.after, names),
          rule.when ? ir::parse_expr(rule.when, names) : ir::true_value()};
}

z3::check_result counterexample(const ParsedRule& rule, z3::context& context,
                                Translator translate) {
  z3::solver solver(context);
  z3::params limits(context);
  limits.set("rlimit", 20000000u);  // work, not time: the same verdict on a busy machine
  solver.set(limits);
  solver.add(translate(rule.when));
  solver.add(translate(rule.before) != translate(rule.after));
  return solver.check();
}

/// Non-linear in its literals over Int: proved for literals of a range, each for all wildcards.
bool holds_for_small_literals(const ParsedRule& rule, z3::context& context) {
  for (std::int64_t c0 = -12; c0 <= 12; ++c0) {
    for (std::int64_t c1 = -5; c1 <= 5; ++c1) {
      Translator translate(context, 0, true);
      translate.fixed = {{"c0", c0}, {"c1", c1}};
      if (counterexample(rule, context, translate) != z3::unsat) return false;
    }
  }
  return true;
}

std::string text_of(const Rule& rule) {
  return std::string(rule.before) + "  ->  " + rule.after +
         (rule.when ? std::string("  when ") + rule.when : "");
}

TEST(Rules, HoldOverCoordinates) {
  int by_literals = 0;
  z3::context context;
  for (const Rule& rule : rules()) {
    if (rule.theory == Rule::Theory::Value) continue;
    const ParsedRule parsed_rule = parse(rule);
    const z3::check_result found =
        counterexample(parsed_rule, context, Translator(context, 0, true));
    if (found == z3::unsat) continue;
    EXPECT_NE(found, z3::sat) << text_of(rule);
    EXPECT_TRUE(holds_for_small_literals(parsed_rule, context)) << text_of(rule);
    ++by_literals;
    std::cout << "proved for |c0| <= 12, |c1| <= 5: " << text_of(rule) << "\n";
  }
  EXPECT_LE(by_literals, 8);
}

/// Choice and logic alone mean the same for every type: one proof is all.
bool is_free_of_arithmetic(const Expr& e) {
  bool result = true;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    const ir::OpClass c = ir::info(n->op).op_class;
    result = result && (c == ir::OpClass::Logic || n->op == Op::Symbol || n->type.is_bool()) &&
             c != ir::OpClass::Compare;
    return true;
  });
  return result;
}

/// The rules not proved for one type, a line each.
std::string unproved(unsigned width, bool is_signed) {
  z3::context context;
  std::string failures;
  for (const Rule& rule : rules()) {
    if (rule.theory == Rule::Theory::Coordinate) continue;
    const ParsedRule parsed_rule = parse(rule);
    const bool once =
        is_free_of_arithmetic(parsed_rule.before) && is_free_of_arithmetic(parsed_rule.after);
    if (once && (width != 8 || is_signed)) continue;
    if (counterexample(parsed_rule, context, Translator(context, width, is_signed)) == z3::unsat)
      continue;
    failures += text_of(rule) + " for " + (is_signed ? "i" : "u") + std::to_string(width) + "\n";
  }
  return failures;
}

TEST(Rules, HoldOverWrappingIntegers) {
  std::vector<std::future<std::string>> proofs;
  for (const unsigned width : {8u, 16u, 32u}) {
    for (const bool is_signed : {false, true})
      proofs.push_back(std::async(std::launch::async, unproved, width, is_signed));
  }
  for (auto& proof : proofs) EXPECT_EQ(proof.get(), "");
}

bool only_literals(const Expr& e) {
  bool result = true;
  ir::for_each_node(e.node(), [&](const ir::Ref& n) {
    result = result && (n->op != Op::Symbol || n->symbol.name()[0] == 'c');
    return true;
  });
  return result;
}

/// Positive weights of ops; what is computed from literals alone is one literal.
int measure(const Expr& e) {
  if (only_literals(e)) return 1;
  int total = e->op == Op::Symbol ? 1 : e->op == Op::Select ? 4 : e->op == Op::Sub ? 3 : 2;
  for (const ir::Ref& a : e->args) total += measure(Expr(a));
  return total;
}

void count_names(const Expr& e, std::map<std::string, int>& counts) {
  if (only_literals(e)) return;
  if (e->op == Op::Symbol) ++counts[e->symbol.name()];
  for (const ir::Ref& a : e->args) count_names(Expr(a), counts);
}

TEST(Rules, MakeExpressionsSmaller) {
  for (const Rule& rule : rules()) {
    const ParsedRule parsed_rule = parse(rule);
    EXPECT_LT(measure(parsed_rule.after), measure(parsed_rule.before)) << text_of(rule);
    std::map<std::string, int> before, after;
    count_names(parsed_rule.before, before);
    count_names(parsed_rule.after, after);
    for (const auto& [name, count] : after)
      EXPECT_LE(count, before[name]) << text_of(rule) << ": " << name;
  }
}

TEST(Rules, AreManyAndDistinct) {
  EXPECT_GE(rules().size(), 150u);
  std::map<std::string, int> seen;
  for (const Rule& rule : rules()) EXPECT_EQ(++seen[text_of(rule)], 1) << text_of(rule);
}

}  // namespace
}  // namespace sinter::algebra::testing
