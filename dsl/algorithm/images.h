#pragma once
// Images in expressions: what ImageParams and Buffers share.

#include <memory>
#include <string>
#include <vector>

#include "dsl/algorithm/entities.h"

namespace sinter {

enum class Field { Min, Extent, Stride };

std::shared_ptr<ImageContents> new_image(Type, int dimensions, const std::string& name);
/// The image that a Buffer is; the same symbols at every call.
std::shared_ptr<const ImageContents> image_of(const BufferBase&);
/// A call of the image; refuses a wrong number of coordinates.
Expr access_image(const std::shared_ptr<const ImageContents>&, std::vector<Expr> coordinates);
/// A field as an i32 expression of the front end.
Expr field_of(const std::shared_ptr<const ImageContents>&, int dimension, Field);

/// Coordinates as the front end keeps them: defined, of integer or bool type.
void check_coordinates(const std::vector<Expr>&, const std::string& name);

}  // namespace sinter
