#include "dsl/lowering/gpu/thread_layout.h"

#include <algorithm>

#include "dsl/algebra/linear_form.h"
#include "dsl/algebra/simplify.h"

namespace sinter::lowering {

using algebra::simplify;
using ir::Op;

namespace {

Expr number(std::int64_t v) { return ir::index_literal(v); }

/// A digit whose value is (thread / place) % extent; `reduced`: the remainder matters, else the
/// thread's number is too small for it to.
struct PartialDigit {
  std::int64_t place, extent;
  bool reduced;
};

/// Divisions and remainders of the thread's number, where they are such a digit exactly.
std::optional<PartialDigit> partial_digit(const Expr& e, std::int64_t threads) {
  std::int64_t c = 0;
  if (e->op == Op::ThreadIndex) return PartialDigit{1, threads, false};
  const bool divides = e->op == Op::Div, remains = e->op == Op::Mod;
  if ((!divides && !remains) || !ir::as_constant(ir::arg(e, 1), &c) || c <= 0) return std::nullopt;
  const auto inner = partial_digit(ir::arg(e, 0), threads);
  if (!inner || (remains && c >= inner->extent)) return inner;
  if (inner->reduced && inner->extent % c != 0) return std::nullopt;  // (t % 10) / 3, (t % 10) % 4
  if (remains) return PartialDigit{inner->place, c, true};
  return PartialDigit{inner->place * c, (inner->extent + c - 1) / c, inner->reduced};
}

std::optional<Digit> as_digit(const Expr& e, std::int64_t threads) {
  const auto found = partial_digit(e, threads);
  return found ? std::optional(Digit{1, found->place, found->extent}) : std::nullopt;
}

void add_digit(std::vector<Digit>& digits, Digit d) {
  if (d.extent <= 1) return;
  if (d.place < WarpSize && d.place * d.extent > WarpSize && WarpSize % d.place == 0) {
    const std::int64_t low = WarpSize / d.place;
    digits.push_back({d.coefficient, d.place, low});
    digits.push_back({d.coefficient * low, WarpSize, (d.extent + low - 1) / low});
  } else {
    digits.push_back(d);
  }
}

void merge_digits(std::vector<Digit>& digits) {
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.place < b.place; });
  for (std::size_t i = 0; i + 1 < digits.size();) {
    Digit& a = digits[i];
    const Digit& b = digits[i + 1];
    if (b.place == a.place * a.extent && b.coefficient == a.coefficient * a.extent &&
        (a.place >= WarpSize || b.place * b.extent <= WarpSize)) {
      a.extent *= b.extent;
      digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    } else {
      ++i;
    }
  }
}

}  // namespace

Expr Digit::value() const {
  return simplify(ir::expr(Op::ThreadIndex, Index(), {}) / number(place) % number(extent));
}

std::optional<IndexForm> index_form(const Expr& index, std::int64_t threads,
                                    const algebra::ConstantScope& scope) {
  IndexForm form;
  Expr base = simplify(index, scope);
  if (base.type().is_vector()) {
    form.lanes = base.type().lanes;
    if (!ir::is(base, Op::Ramp) || !ir::is_constant(ir::arg(base, 1), 1)) return std::nullopt;
    base = ir::arg(base, 0);
  }
  const auto linear = algebra::linear_form(base);
  if (!linear) return std::nullopt;
  form.constant = linear->constant;
  for (const auto& term : linear->terms) {
    if (auto digit = as_digit(term.atom, threads)) {
      if (term.coefficient <= 0) return std::nullopt;
      digit->coefficient = term.coefficient;
      add_digit(form.digits, *digit);
    } else {
      form.terms.push_back(
          {term.atom, term.coefficient, algebra::constant_bounds(term.atom, scope)});
    }
  }
  merge_digits(form.digits);
  return form;
}

bool Owner::operator==(const Owner& o) const {
  if (digits != o.digits || offset != o.offset || origin.defined() != o.origin.defined())
    return false;
  return !origin.defined() || ir::equal(origin, o.origin);
}

std::optional<Owner> owner_of(const Expr& index, std::int64_t threads,
                              const algebra::ConstantScope& scope,
                              const std::unordered_set<Symbol>& varying) {
  const auto form = index_form(index, threads, scope);
  if (!form) return std::nullopt;
  Owner owner;
  owner.digits = form->digits;
  std::sort(owner.digits.begin(), owner.digits.end(),
            [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
  // The digits must cover the thread's number: a digit left out belongs to threads that touch the
  // same elements.
  std::int64_t covered = 1;
  for (const Digit& d : form->digits) {
    if (d.place != covered) return std::nullopt;
    covered *= d.extent;
  }
  if (covered < threads) return std::nullopt;
  // Within the index the digits are neighbours too: [unit, span) is the threads' part of it.
  const std::int64_t unit = owner.digits.empty() ? 1 : owner.digits.front().coefficient;
  std::int64_t span = unit;
  for (const Digit& d : owner.digits) {
    if (d.coefficient != span) return std::nullopt;
    span *= d.extent;
  }
  std::int64_t low = 0, high = form->lanes - 1;
  for (const IndexForm::Term& t : form->terms) {
    if (t.coefficient % span == 0) continue;  // the same thread's
    bool changes = false;
    ir::for_each_node(t.atom.node(), [&](const ir::Ref& n) {
      changes = changes || n->op == Op::Load || n->op == Op::ThreadIndex ||
                (n->op == Op::Symbol && !n->type.is_index()) ||
                (n->op == Op::Symbol && varying.count(n->symbol) != 0);
      return !changes;
    });
    if (!changes) {
      const Expr part = t.atom * number(t.coefficient);
      owner.origin = owner.origin.defined() ? owner.origin + part : part;
    } else {
      if (t.coefficient < 0 || !t.range.has_min || !t.range.has_max || t.range.min < 0)
        return std::nullopt;
      low += t.range.min * t.coefficient;
      high += t.range.max * t.coefficient;
    }
  }
  const std::int64_t offset = (form->constant % span + span) % span;
  owner.offset = offset - offset % unit;
  high += offset % unit;
  if (low < 0 || high >= unit) return std::nullopt;
  if (owner.origin.defined()) owner.origin = simplify(owner.origin);
  return owner;
}

}  // namespace sinter::lowering
