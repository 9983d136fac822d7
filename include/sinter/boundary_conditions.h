#pragma once
// Boundary conditions: a Func with values everywhere, made of one that has them inside a box.

#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/func.h>

namespace sinter::BoundaryConditions {

/// Per dimension (min, extent) of what is inside; an undefined pair leaves a dimension alone.
using Region = std::vector<std::pair<Expr, Expr>>;

template <typename Image>
Region region_of(const Image& image) {
  Region region;
  for (int d = 0; d < image.dimensions(); ++d) {
    region.emplace_back(Expr(image.dim(d).min()), Expr(image.dim(d).extent()));
  }
  return region;
}

/// `value` outside.
Func constant_exterior(const Func& source, const Tuple& value, const Region& bounds);
Func constant_exterior(const Func& source, const Expr& value, const Region& bounds);
/// The nearest element inside.
Func repeat_edge(const Func& source, const Region& bounds);
/// Tiled copies.
Func repeat_image(const Func& source, const Region& bounds);
/// Tiled copies, every other one mirrored, the edge repeated: 2 1 0 | 0 1 2 | 2 1 0.
Func mirror_image(const Func& source, const Region& bounds);
/// As mirror_image, without repeating the edge: 2 1 | 0 1 2 | 1 0.
Func mirror_interior(const Func& source, const Region& bounds);

// The same for an ImageParam or Buffer, inside being the image itself unless bounds are given.
template <typename Image>
concept ImageLike = !std::is_convertible_v<Image, Expr> && !std::is_base_of_v<Func, Image> &&
                    requires(const Image& image) { image.dim(0).extent(); };

template <ImageLike Image>
Func constant_exterior(const Image& image, const Expr& value, const Region& bounds) {
  return constant_exterior(Func(image), value, bounds);
}
template <ImageLike Image>
Func constant_exterior(const Image& image, const Expr& value) {
  return constant_exterior(Func(image), value, region_of(image));
}
template <ImageLike Image>
Func repeat_edge(const Image& image, const Region& bounds) { return repeat_edge(Func(image), bounds); }
template <ImageLike Image>
Func repeat_edge(const Image& image) { return repeat_edge(Func(image), region_of(image)); }
template <ImageLike Image>
Func repeat_image(const Image& image, const Region& bounds) { return repeat_image(Func(image), bounds); }
template <ImageLike Image>
Func repeat_image(const Image& image) { return repeat_image(Func(image), region_of(image)); }
template <ImageLike Image>
Func mirror_image(const Image& image, const Region& bounds) { return mirror_image(Func(image), bounds); }
template <ImageLike Image>
Func mirror_image(const Image& image) { return mirror_image(Func(image), region_of(image)); }
template <ImageLike Image>
Func mirror_interior(const Image& image, const Region& bounds) { return mirror_interior(Func(image), bounds); }
template <ImageLike Image>
Func mirror_interior(const Image& image) { return mirror_interior(Func(image), region_of(image)); }

}  // namespace sinter::BoundaryConditions
