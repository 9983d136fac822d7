#pragma once
// Boundary conditions: a Func with values everywhere, made of one that has them inside a box.

#include <functional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/func.h>

namespace sinter::BoundaryConditions {

/// Per dimension (min, extent) of what is inside; an undefined pair leaves a dimension alone.
using Region = std::vector<std::pair<Expr, Expr>>;

/// What gets a boundary: a Func, or an ImageParam or Buffer, whose own box is then the default
/// region.
class Source {
  using Location = std::source_location;

 public:
  Source(const Func& func, Location where = Location::current());
  template <typename Image>
    requires(!std::is_convertible_v<Image, Expr> && !std::is_base_of_v<Func, Image> &&
             requires(const Image& image) { image.dim(0).extent(); })
  Source(const Image& image, Location where = Location::current())
      : name_(image.name()),
        call_([image](std::vector<Expr> args) {
          return Tuple(std::vector<Expr>{image(std::move(args))});
        }),
        where_(where) {
    for (int d = 0; d < image.dimensions(); ++d) {
      variables_.emplace_back(Var("_" + std::to_string(d)));
      region_.emplace_back(bound(image, d, Bound::Min), bound(image, d, Bound::Extent));
    }
  }

  const std::string& name() const { return name_; }
  const std::vector<Expr>& variables() const { return variables_; }
  /// The user's line.
  Location where() const { return where_; }
  Tuple operator()(std::vector<Expr> args) const { return call_(std::move(args)); }
  /// The region, or the source's own when that is empty; refuses a Func without one.
  Region region_or_own(const Region&) const;

 private:
  enum class Bound { Min, Extent };
  template <typename Image>
  static Expr bound(const Image& image, int d, Bound b) {
    if constexpr (std::is_base_of_v<BufferBase, Image>)
      return buffer_bound(image, d, b == Bound::Extent);
    else return b == Bound::Min ? Expr(image.dim(d).min()) : Expr(image.dim(d).extent());
  }
  static Expr buffer_bound(const BufferBase&, int d, bool is_extent);

  std::string name_;
  std::vector<Expr> variables_;
  Region region_;
  std::function<Tuple(std::vector<Expr>)> call_;
  Location where_;
};

/// `value` outside.
Func constant_exterior(const Source&, const Tuple& value, const Region& bounds = {});
Func constant_exterior(const Source&, const Expr& value, const Region& bounds = {});
/// The nearest element inside.
Func repeat_edge(const Source&, const Region& bounds = {});
/// Tiled copies.
Func repeat_image(const Source&, const Region& bounds = {});
/// Tiled copies, every other one mirrored, the edge repeated: 2 1 0 | 0 1 2 | 2 1 0.
Func mirror_image(const Source&, const Region& bounds = {});
/// As mirror_image, without repeating the edge: 2 1 | 0 1 2 | 1 0.
Func mirror_interior(const Source&, const Region& bounds = {});

// The same with the bounds one after the other: repeat_edge(f, 0, width, 0, height).
Region region_of(const Source&, const std::vector<Expr>& bounds);
template <typename... Bounds>
concept BoundList = sizeof...(Bounds) >= 2 && (std::is_convertible_v<Bounds, Expr> && ...);

template <typename... Bounds>
  requires BoundList<Bounds...>
Func constant_exterior(const Source& source, const Expr& value, const Bounds&... bounds) {
  return constant_exterior(source, value, region_of(source, {static_cast<Expr>(bounds)...}));
}
template <typename... Bounds>
  requires BoundList<Bounds...>
Func repeat_edge(const Source& source, const Bounds&... bounds) {
  return repeat_edge(source, region_of(source, {static_cast<Expr>(bounds)...}));
}
template <typename... Bounds>
  requires BoundList<Bounds...>
Func repeat_image(const Source& source, const Bounds&... bounds) {
  return repeat_image(source, region_of(source, {static_cast<Expr>(bounds)...}));
}
template <typename... Bounds>
  requires BoundList<Bounds...>
Func mirror_image(const Source& source, const Bounds&... bounds) {
  return mirror_image(source, region_of(source, {static_cast<Expr>(bounds)...}));
}
template <typename... Bounds>
  requires BoundList<Bounds...>
Func mirror_interior(const Source& source, const Bounds&... bounds) {
  return mirror_interior(source, region_of(source, {static_cast<Expr>(bounds)...}));
}

}  // namespace sinter::BoundaryConditions
