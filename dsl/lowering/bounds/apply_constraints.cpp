#include "dsl/lowering/bounds/apply_constraints.h"

namespace sinter::lowering {

std::vector<ir::Constraint> constraints_of(const Algorithm& algorithm) {
  static constexpr const char* Fields[] = {"min", "extent", "stride"};
  std::vector<ir::Constraint> all;
  for (const Image& image : algorithm.images) {
    for (std::size_t d = 0; d < image.constraints.size(); ++d) {
      for (std::size_t field = 0; field < 3; ++field) {
        const Expr& value = image.constraints[d][field];
        if (!value.defined()) continue;
        const std::string subject = "input '" + image.name + "': dimension " + std::to_string(d);
        all.push_back(
            {image.fields[d][field], value,
             subject + " has " + Fields[field] +
                 " {}, and the image is constrained to {}\n  remedy: pass such a buffer, or "
                 "change set_" +
                 Fields[field] + "() of the ImageParam"});
      }
    }
  }
  return all;
}

ir::Module apply_constraints(ir::Module module, const LowerOptions&) {
  if (module.constraints.empty()) return module;
  ir::Substitution facts;
  std::vector<ir::Stmt> parts;
  for (const ir::Constraint& c : module.constraints) {
    const Expr field = ir::index_symbol(c.symbol);
    parts.push_back(
        ir::assert_that(ir::binary(ir::Op::Equal, field, c.value), c.message, {field, c.value}));
    facts.emplace(c.symbol, c.value);
  }
  parts.push_back(ir::substitute(module.body, facts));
  module.body = ir::block(std::move(parts));
  return module;
}

}  // namespace sinter::lowering
