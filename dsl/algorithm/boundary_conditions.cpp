#include <sinter/boundary_conditions.h>

#include "dsl/algorithm/images.h"
#include "dsl/algorithm/typing.h"
#include "dsl/algorithm/wording.h"

namespace sinter::BoundaryConditions {

namespace {

bool is_given(const Region& bounds, std::size_t d) {
  return d < bounds.size() && bounds[d].first.defined() && bounds[d].second.defined();
}

/// f(x, y) = source(map(x), map(y)) for a map of one coordinate into [min, min + extent).
template <typename Map>
Func mapped(const Source& source, const Region& given, const std::string& name, Map&& map) {
  return typing::located(source.where(), [&] {
    const Region bounds = source.region_or_own(given);
    const std::vector<Expr>& variables = source.variables();
    std::vector<Expr> inside = variables;
    for (std::size_t d = 0; d < variables.size(); ++d) {
      if (is_given(bounds, d)) inside[d] = map(variables[d], bounds[d].first, bounds[d].second);
    }
    Func result(name);
    result(variables, source.where()) = source(inside);
    return result;
  });
}

Expr nearest(const Expr& x, const Expr& min, const Expr& extent) {
  return clamp(x, min, min + extent - 1);
}

}  // namespace

Source::Source(const Func& func, Location where)
    : name_(func.name()),
      call_([func, where](std::vector<Expr> args) { return Tuple(func(std::move(args), where)); }),
      where_(where) {
  for (const Var& v : func.args(where)) variables_.emplace_back(v);
}

Region Source::region_or_own(const Region& given) const {
  const Region& region = given.empty() ? region_ : given;
  if (region.empty() && !variables_.empty()) {
    typing::refuse("boundary condition", "the bounds of '" + name_ + "' are not known",
                   "give (min, extent) pairs");
  }
  if (region.size() > variables_.size()) {
    typing::refuse("boundary condition",
                   "'" + name_ + "' has " + counted(variables_.size(), "dimension") +
                       ", and bounds are given for " + std::to_string(region.size()),
                   "give one (min, extent) pair for each dimension");
  }
  return region;
}

Expr Source::buffer_bound(const BufferBase& buffer, int d, bool is_extent) {
  return field_of(image_of(buffer), d, is_extent ? Field::Extent : Field::Min);
}

Region region_of(const Source& source, const std::vector<Expr>& bounds) {
  if (bounds.size() % 2 != 0) {
    throw AlgorithmError(make_diagnostic("", "boundary condition",
                                         "it is given " + counted(bounds.size(), "bound"),
                                         "give a min and an extent for each dimension")
                             .at(source.where()));
  }
  Region region;
  for (std::size_t i = 0; i < bounds.size(); i += 2) region.emplace_back(bounds[i], bounds[i + 1]);
  return region;
}

Func constant_exterior(const Source& source, const Tuple& value, const Region& given) {
  return typing::located(source.where(), [&] {
    const Region bounds = source.region_or_own(given);
    const std::vector<Expr>& variables = source.variables();
    std::vector<Expr> inside = variables;
    Expr is_outside = false;
    for (std::size_t d = 0; d < variables.size(); ++d) {
      if (!is_given(bounds, d)) continue;
      const Expr& min = bounds[d].first;
      const Expr& extent = bounds[d].second;
      is_outside = is_outside || variables[d] < min || variables[d] >= min + extent;
      inside[d] = nearest(variables[d], min, extent);
    }
    const Tuple values = source(inside);
    if (values.size() != value.size()) {
      typing::refuse("constant_exterior",
                     "'" + source.name() + "' has " + counted(values.size(), "component") +
                         ", and " + counted(value.size(), "value") + " are given",
                     "give one value per component");
    }
    std::vector<Expr> selected;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Type type = values[i].type();
      const Expr outside = typing::is_adaptable(value[i]) && type != Int(32)
                               ? typing::adapt(type, value[i], "constant_exterior")
                               : cast(type, value[i]);
      selected.push_back(select(is_outside, outside, values[i]));
    }
    Func result("constant_exterior");
    result(variables, source.where()) = Tuple(selected);
    return result;
  });
}

Func constant_exterior(const Source& source, const Expr& value, const Region& bounds) {
  return constant_exterior(
      source, Tuple(std::vector<Expr>(source(source.variables()).size(), value)), bounds);
}

Func repeat_edge(const Source& source, const Region& bounds) {
  return mapped(source, bounds, "repeat_edge", nearest);
}

// In the following the coordinate is clamped once more: the remainder already lies inside, but only
// the clamp shows that to bounds inference whatever the extent is.
Func repeat_image(const Source& source, const Region& bounds) {
  return mapped(source, bounds, "repeat_image",
                [](const Expr& x, const Expr& min, const Expr& extent) {
                  return nearest((x - min) % extent + min, min, extent);
                });
}

Func mirror_image(const Source& source, const Region& bounds) {
  return mapped(
      source, bounds, "mirror_image", [](const Expr& x, const Expr& min, const Expr& extent) {
        const Expr period = (x - min) % (2 * extent);  // 0 1 2 | 3 4 5 -> 0 1 2 | 2 1 0
        return nearest(select(period < extent, period, 2 * extent - 1 - period) + min, min, extent);
      });
}

Func mirror_interior(const Source& source, const Region& bounds) {
  return mapped(
      source, bounds, "mirror_interior", [](const Expr& x, const Expr& min, const Expr& extent) {
        const Expr last = extent - 1;
        const Expr period = (x - min) % max(2 * last, 1);  // 0 1 2 | 3 -> 0 1 2 | 1
        return nearest(select(period < last, period, 2 * last - period) + min, min, extent);
      });
}

}  // namespace sinter::BoundaryConditions
