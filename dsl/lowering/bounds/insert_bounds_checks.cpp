#include "dsl/lowering/bounds/insert_bounds_checks.h"

#include <limits>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"
#include "dsl/lowering/passes.h"

namespace sinter::lowering {

using algebra::Interval;
using algebra::simplify;
using ir::Op;

ir::Stmt bounds_check(const std::string& subject, const std::string& verb, const Interval& needed,
                      const std::string& given_text, const Interval& given,
                      const std::string& remedy) {
  const Expr condition =
      simplify(ir::binary(Op::And, ir::binary(Op::LessEqual, given.min, needed.min),
                          ir::binary(Op::LessEqual, needed.max, given.max)));
  return ir::assert_that(
      condition,
      subject + " " + verb + " in [{}, {}], but " + given_text + " [{}, {}]\n  remedy: " + remedy,
      {needed.min, needed.max, given.min, given.max});
}

void append_input_checks(const ir::Argument& input, const Box& read, const std::string& chain,
                         const std::source_location& reader, std::vector<ir::Stmt>& checks) {
  for (std::size_t d = 0; d < read.dimensions.size(); ++d) {
    const Interval& needed = read.dimensions[d];
    const std::string subject = "input '" + input.name + "': dimension " + std::to_string(d);
    if (!needed.bounded()) {
      throw CompileError(Diagnostic{
          input.name,
          "",
          "dimension " + std::to_string(d) + " is read (by " + chain +
              ") at a coordinate without a finite range: it depends on data or on a 32-bit value",
          "wrap that coordinate in clamp(value, low, high)",
          {},
          0}
                             .at(reader));
    }
    const Expr min = ir::index_symbol(input.dimensions[d].min);
    const Interval given{min,
                         min + ir::index_symbol(input.dimensions[d].extent) - ir::index_literal(1)};
    checks.push_back(
        bounds_check("stage '" + chain.substr(0, chain.find(' ')) + "': " + subject,
                     "is read by " + chain, needed, "the buffer has", given,
                     "give a larger buffer, or read it through a function of BoundaryConditions"));
  }
}

void append_coordinate_check(const std::string& stage, const Box& box,
                             std::vector<ir::Stmt>& checks) {
  const Expr low = ir::index_literal(std::numeric_limits<std::int32_t>::min());
  const Expr high = ir::index_literal(std::numeric_limits<std::int32_t>::max());
  Expr fits;
  for (const Interval& i : box.dimensions) {
    if (!i.bounded()) continue;
    const Expr inside = ir::binary(Op::And, ir::binary(Op::LessEqual, low, i.min),
                                   ir::binary(Op::LessEqual, i.max, high));
    fits = fits.defined() ? ir::binary(Op::And, fits, inside) : inside;
  }
  if (!fits.defined()) return;
  fits = simplify(fits);
  std::int64_t known = 0;
  if (ir::as_constant(fits, &known) && known != 0) return;
  std::vector<Expr> ends;
  std::string text = "stage '" + stage + "': the stage is needed";
  for (std::size_t d = 0; d < box.dimensions.size(); ++d) {
    const Interval& i = box.dimensions[d];
    if (!i.bounded()) continue;
    text += (ends.empty() ? " in" : ",") + std::string(" [{}, {}]");
    ends.push_back(i.min);
    ends.push_back(i.max);
  }
  checks.push_back(ir::assert_that(
      fits, text + ": coordinates must stay within int32\n  remedy: compute a smaller region",
      ends));
}

ir::Module insert_entry_checks(ir::Module module, const LowerOptions&) {
  const Expr low = ir::index_literal(std::numeric_limits<std::int32_t>::min());
  const Expr high = ir::index_literal(std::numeric_limits<std::int32_t>::max());
  std::vector<ir::Stmt> checks;
  Expr nonempty;            // of some output
  bool has_scalar = false;  // an output of rank 0 is never empty
  const ir::Argument* first_of_tuple = nullptr;
  for (const ir::Argument& a : module.arguments) {
    if (!a.is_buffer()) continue;
    const bool output = a.kind == ir::Argument::Kind::Output;
    const std::string subject =
        std::string(output ? "output '" : "input '") + a.name + "': dimension ";
    const std::string base = a.name.substr(0, a.name.rfind('.'));
    const bool follows = output && first_of_tuple &&
                         first_of_tuple->dimensions.size() == a.dimensions.size() &&
                         first_of_tuple->name.substr(0, first_of_tuple->name.rfind('.')) == base &&
                         a.name.size() > base.size();
    Expr all;
    for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
      const Expr min = ir::index_symbol(a.dimensions[d].min),
                 extent = ir::index_symbol(a.dimensions[d].extent);
      const Expr in_range =
          ir::binary(Op::And, ir::binary(Op::LessEqual, ir::index_literal(0), extent),
                     ir::binary(Op::And, ir::binary(Op::LessEqual, low, min),
                                ir::binary(Op::LessEqual, min + extent, high)));
      checks.push_back(ir::assert_that(in_range,
                                       subject + std::to_string(d) +
                                           " has min {} and extent {}: coordinates must stay "
                                           "within int32\n  remedy: move or shrink the buffer",
                                       {min, extent}));
      if (follows) {
        const Expr first_min = ir::index_symbol(first_of_tuple->dimensions[d].min);
        const Expr first_extent = ir::index_symbol(first_of_tuple->dimensions[d].extent);
        checks.push_back(ir::assert_that(
            ir::binary(Op::And, ir::binary(Op::Equal, min, first_min),
                       ir::binary(Op::Equal, extent, first_extent)),
            subject + std::to_string(d) +
                " has min {} and extent {}, but the first component of the tuple has {} and {}\n  "
                "remedy: give all components of a tuple the same box",
            {min, extent, first_min, first_extent}));
      }
      if (output && !follows) {
        const Expr some = ir::binary(Op::Less, ir::index_literal(0), extent);
        all = all.defined() ? ir::binary(Op::And, all, some) : some;
      }
    }
    if (output && !follows) {
      first_of_tuple = &a;
      has_scalar = has_scalar || !all.defined();
      if (all.defined()) nonempty = nonempty.defined() ? ir::binary(Op::Or, nonempty, all) : all;
    }
  }
  ir::Stmt body = module.body;
  if (nonempty.defined() && !has_scalar && body.defined()) body = ir::if_then(nonempty, body);
  checks.push_back(body);
  module.body = ir::block(std::move(checks));
  return module;
}

}  // namespace sinter::lowering
