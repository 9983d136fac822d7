#include <sinter/reduction.h>

#include <sinter/param.h>

#include "dsl/algorithm/entities.h"
#include "dsl/algorithm/images.h"
#include "dsl/algorithm/typing.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

RVar::RVar() : symbol_(Symbol::fresh("r")) {}

namespace {
const DomainContents::Variable* variable_of(const DomainContents* domain, const Symbol& symbol) {
  if (domain == nullptr) return nullptr;
  for (const DomainContents::Variable& v : domain->variables) {
    if (v.symbol == symbol) return &v;
  }
  return nullptr;
}
}  // namespace

Expr RVar::min() const {
  const auto* v = variable_of(domain_.get(), symbol_);
  return v == nullptr ? Expr() : v->min;
}
Expr RVar::extent() const {
  const auto* v = variable_of(domain_.get(), symbol_);
  return v == nullptr ? Expr() : v->extent;
}
RVar::operator Expr() const {
  if (!domain_) {
    typing::refuse("RVar " + symbol_.name(),
                   "it does not belong to a reduction domain, so it has no values",
                   "use a variable of an RDom, such as r.x");
  }
  return symbol_of(Int(32), symbol_, domain_);
}

std::vector<std::pair<Expr, Expr>> RDom::pairs(std::vector<Expr> bounds) {
  if (bounds.size() % 2 != 0) {
    typing::refuse("RDom", "it is given " + counted(bounds.size(), "bound"),
                   "give (min, extent) pairs");
  }
  std::vector<std::pair<Expr, Expr>> region;
  for (std::size_t i = 0; i < bounds.size(); i += 2) region.emplace_back(bounds[i], bounds[i + 1]);
  return region;
}

void RDom::initialise(const std::vector<std::pair<Expr, Expr>>& region, const std::string& name) {
  static constexpr const char* Names[] = {".x", ".y", ".z", ".w"};
  if (region.empty() || region.size() > 4) {
    typing::refuse("RDom", "it has " + counted(region.size(), "dimension"),
                   "use one to four (min, extent) pairs");
  }
  name_ = name.empty() ? "r" : name;
  contents_ = std::make_shared<DomainContents>();
  for (std::size_t d = 0; d < region.size(); ++d) {
    for (const Expr& bound : {region[d].first, region[d].second}) {
      typing::require_defined(bound, "RDom");
      if (bound.type().is_integer()) continue;
      typing::refuse("RDom", "a bound is " + to_string(bound.type()), "cast it: i32(...)");
    }
    const std::string variable = name_ + Names[d];
    contents_->variables.push_back(
        {name.empty() ? Symbol::fresh(variable) : Symbol::named(variable), region[d].first,
         region[d].second});
  }
  RVar* const members[] = {&x, &y, &z, &w};
  for (std::size_t d = 0; d < region.size(); ++d)
    *members[d] = RVar(contents_->variables[d].symbol, contents_);
}

RDom::RDom(const std::vector<std::pair<Expr, Expr>>& region, const std::string& name) {
  initialise(region, name);
}

RDom::RDom(const BufferBase& buffer, const std::string& name) {
  const auto image = image_of(buffer);
  std::vector<std::pair<Expr, Expr>> region;
  for (int d = 0; d < buffer.dimensions(); ++d) {
    region.emplace_back(field_of(image, d, Field::Min), field_of(image, d, Field::Extent));
  }
  initialise(region, name);
}

RDom::RDom(const ImageParam& image, const std::string& name) {
  std::vector<std::pair<Expr, Expr>> region;
  for (int d = 0; d < image.dimensions(); ++d)
    region.emplace_back(image.dim(d).min(), image.dim(d).extent());
  initialise(region, name);
}

int RDom::dimensions() const {
  return contents_ ? static_cast<int>(contents_->variables.size()) : 0;
}

RVar RDom::operator[](int i) const {
  if (i < 0 || i >= dimensions()) {
    typing::refuse("RDom",
                   "it has " + counted(dimensions(), "dimension") + ", and dimension " +
                       std::to_string(i) + " is asked for",
                   "use a dimension below that");
  }
  return RVar(contents_->variables[static_cast<std::size_t>(i)].symbol, contents_);
}

void RDom::where(Expr predicate) {
  if (!defined()) {
    typing::refuse("where", "the RDom has no dimensions", "construct it with (min, extent) pairs");
  }
  typing::require_bool(predicate, "where");
  contents_->predicate =
      contents_->predicate.defined() ? contents_->predicate && predicate : predicate;
}

RDom::operator RVar() const {
  if (dimensions() != 1) {
    typing::refuse(
        "RDom", "it has " + counted(dimensions(), "dimension") + ", where one variable is wanted",
        "name the variable: r.x");
  }
  return x;
}
RDom::operator Expr() const { return Expr(RVar(*this)); }

}  // namespace sinter
