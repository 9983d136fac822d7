// ImageParam: constraints on the buffers it may be set to, and copies of it.

#include <sinter/param.h>

#include "dsl/algorithm/elaborate.h"
#include "dsl/algorithm/func_contents.h"
#include "dsl/algorithm/images.h"
#include "dsl/algorithm/typing.h"
#include "dsl/algorithm/wording.h"
#include "dsl/schedule/fluent.h"

namespace sinter {

namespace {

using Location = std::source_location;

void constrain(const std::shared_ptr<ImageContents>& image, int dimension, Field field,
               const char* directive, const Expr& value, const Location& where) {
  typing::located(where, [&] {
    field_of(image, dimension, field);  // refuses a dimension that is not there
    typing::require_integer(value, directive);
    ir::for_each_node(value.node(), [&](const ir::Ref& n) {
      const bool is_variable =
          n->op == ir::Op::Symbol &&
          (entity_of(*n) == nullptr || entity_of(*n)->kind == Entity::Kind::Domain);
      if (n->op == ir::Op::Access || is_variable) {
        throw AlgorithmError(
            make_diagnostic(image->name, directive,
                            "'" + to_string(value) + "' is not known before the pipeline runs",
                            "use numbers, Params and fields of images"));
      }
      return true;
    });
    References references = image->references;
    gather_references(value, references);
    std::erase_if(references.images, [&](const auto& other) { return other == image; });
    image->references = std::move(references);
    image->constraints.resize(image->fields.size());
    image->constraints[static_cast<std::size_t>(dimension)][static_cast<std::size_t>(field)] =
        Elaborator().coordinate(value);
    schedule::number_constraint(*image);
  });
}

/// The Func that all calls of the image go through from now on.
Func copy_of(const ImageParam& param, const Location& where) {
  const std::string name = param.name() + "_im";  // refuses an image without a type
  ImageContents& image = *param.contents();
  if (!image.copy) {
    const Func copy(name);
    copy({Expr(_)}, where) = param.access({Expr(_)}, where);
    image.copy = copy.contents();
    for (auto& reference : image.copy->references.images) {
      reference =
          std::shared_ptr<const ImageContents>(std::shared_ptr<const void>(), reference.get());
    }
  }
  return Func(image.copy);
}

}  // namespace

ImageParam::Dimension& ImageParam::Dimension::set_min(const Expr& e, Location where) {
  constrain(image_, d_, Field::Min, "set_min", e, where);
  return *this;
}
ImageParam::Dimension& ImageParam::Dimension::set_extent(const Expr& e, Location where) {
  constrain(image_, d_, Field::Extent, "set_extent", e, where);
  return *this;
}
ImageParam::Dimension& ImageParam::Dimension::set_stride(const Expr& e, Location where) {
  constrain(image_, d_, Field::Stride, "set_stride", e, where);
  return *this;
}
ImageParam::Dimension& ImageParam::Dimension::set_bounds(const Expr& min, const Expr& extent,
                                                         Location where) {
  return set_min(min, where).set_extent(extent, where);
}

Func ImageParam::in(Location where) const { return copy_of(*this, where).in(where); }
Func ImageParam::in(const Func& caller, Location where) const {
  return copy_of(*this, where).in(caller, where);
}
Func ImageParam::in(const std::vector<Func>& callers, Location where) const {
  return copy_of(*this, where).in(callers, where);
}

}  // namespace sinter
