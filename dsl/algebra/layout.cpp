#include "dsl/algebra/layout.h"

#include <algorithm>
#include <array>

namespace sinter::algebra {

namespace {

constexpr std::int64_t Banks = 32, BankBytes = 4, LongestRun = 64;

Expr number(std::int64_t value, int lanes) {
  return ir::broadcast(ir::index_literal(value), lanes);
}

}  // namespace

std::int64_t Layout::operator()(std::int64_t element) const {
  if (padding != 0) return element + element / row * padding;
  if (runs == 0) return element;
  const std::int64_t turn = element / period % runs;
  return (element / run ^ turn) * run + element % run;
}

Expr Layout::operator()(const Expr& element) const {
  const int lanes = element->type.lanes;
  const auto apply = [&](ir::Op op, const Expr& e, std::int64_t value) {
    return ir::binary(op, e, number(value, lanes));
  };
  const auto quotient = [&](std::int64_t value) { return apply(ir::Op::Div, element, value); };
  if (padding != 0)
    return ir::binary(ir::Op::Add, element, apply(ir::Op::Mul, quotient(row), padding));
  if (runs == 0) return element;
  // Indices have no bits: the part of them that is exchanged is a small number.
  const auto bits = [&](std::int64_t value) {
    return ir::cast_to(UInt(32).with_lanes(lanes), apply(ir::Op::Mod, quotient(value), runs));
  };
  const Expr turned =
      ir::cast_to(Index(lanes), ir::binary(ir::Op::BitXor, bits(run), bits(period)));
  const Expr group = apply(ir::Op::Mul, quotient(run * runs), run * runs);
  return ir::binary(ir::Op::Add, ir::binary(ir::Op::Add, group, apply(ir::Op::Mul, turned, run)),
                    apply(ir::Op::Mod, element, run));
}

std::int64_t Layout::size(std::int64_t elements) const {
  if (padding != 0) return (*this)(std::max<std::int64_t>(elements - 1, 0)) + 1;
  if (runs == 0) return elements;
  const std::int64_t group = run * runs;
  return (elements + group - 1) / group * group;
}

bool Layout::keeps_together(std::int64_t count) const {
  if (padding != 0) return row % count == 0 && padding % count == 0;
  return runs == 0 || run % count == 0;
}

std::vector<Layout> candidate_layouts(std::int64_t elements, std::int64_t element_bytes,
                                      std::int64_t widest, std::span<const std::int64_t> rows) {
  std::vector<Layout> result{{}};
  const auto add = [&](const Layout& layout) {
    if (layout.keeps_together(widest) &&
        std::find(result.begin(), result.end(), layout) == result.end())
      result.push_back(layout);
  };
  for (std::int64_t bytes = BankBytes; bytes <= LongestRun; bytes *= 2) {
    for (const std::int64_t row : rows) {
      if (bytes % element_bytes == 0 && row < elements)
        add({.row = row, .padding = bytes / element_bytes});
    }
  }
  // Long runs first: what lies together can be read together.
  for (std::int64_t bytes = LongestRun; bytes >= BankBytes; bytes /= 2) {
    if (bytes % element_bytes != 0) continue;
    const std::int64_t run = bytes / element_bytes;
    for (std::int64_t runs = Banks * BankBytes / bytes; runs >= 2; runs /= 2) {
      for (std::int64_t period = run * runs; period < elements; period *= 2)
        add({.run = run, .runs = runs, .period = period});
      for (const std::int64_t row : rows) {
        if (row % (run * runs) == 0 && row < elements)
          add({.run = run, .runs = runs, .period = row});
      }
    }
  }
  return result;
}

int bank_conflicts(std::span<const std::int64_t> addresses, std::int64_t bytes) {
  const std::size_t at_once = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  const std::int64_t words_each = std::max<std::int64_t>(bytes / BankBytes, 1);
  int sum = 0;
  for (std::size_t first = 0; first < addresses.size(); first += at_once) {
    std::array<std::int64_t, Banks> words;  // asked for, each once
    auto end = words.begin();
    for (std::size_t lane = first; lane < std::min(first + at_once, addresses.size()); ++lane) {
      if (addresses[lane] < 0) continue;
      for (std::int64_t w = 0; w < words_each; ++w) *end++ = addresses[lane] / BankBytes + w;
    }
    std::sort(words.begin(), end);
    end = std::unique(words.begin(), end);
    std::array<int, Banks> asked{};
    for (auto w = words.begin(); w != end; ++w) ++asked[static_cast<std::size_t>(*w % Banks)];
    sum += std::max(*std::max_element(asked.begin(), asked.end()) - 1, 0);
  }
  return sum;
}

}  // namespace sinter::algebra
