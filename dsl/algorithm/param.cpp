#include <sinter/param.h>

#include <sinter/func.h>

#include "dsl/algorithm/entities.h"
#include "dsl/algorithm/images.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

ParamBase::ParamBase(Type type, const std::string& name)
    : contents_(std::make_shared<ParameterContents>()) {
  contents_->name = name.empty() ? "param" : name;
  contents_->id = Symbol::fresh(contents_->name);
  contents_->type = type;
}
const std::string& ParamBase::name() const { return contents_->name; }
Type ParamBase::type() const { return contents_->type; }
ParamBase::operator Expr() const { return symbol_of(contents_->type, contents_->id, contents_); }

namespace {
template <typename Contents, typename Slot>
auto& slot_of(Contents& contents, Slot slot) {
  switch (slot) {
    case Slot::Value:
      return contents.value;
    case Slot::Minimum:
      return contents.minimum;
    case Slot::Maximum:
      return contents.maximum;
    case Slot::Estimate:
      return contents.estimate;
  }
  throw InternalError("no such slot");
}
}  // namespace

void ParamBase::write(Slot slot, const void* value) {
  slot_of(*contents_, slot) = ir::read_scalar(contents_->type, value);
}
bool ParamBase::read(Slot slot, void* value) const {
  const std::optional<ir::Scalar>& scalar = slot_of(*contents_, slot);
  if (scalar) ir::write_scalar(*scalar, value);
  return scalar.has_value();
}

namespace {

/// The contents of an ImageParam that was given a type.
ImageContents& existing(const std::shared_ptr<ImageContents>& contents) {
  if (!contents) {
    throw AlgorithmError(make_diagnostic("", "ImageParam", "the image has no type",
                                         "give it one: ImageParam(UInt(8), 2)"));
  }
  return *contents;
}

}  // namespace

ImageParam::ImageParam(Type type, int dimensions, const std::string& name)
    : contents_(new_image(type, dimensions, name)) {}

ImageParam::Dimension ImageParam::dim(int d) const {
  existing(contents_);
  return Dimension(contents_, d);
}
Expr ImageParam::Dimension::min() const { return field_of(image_, d_, Field::Min); }
Expr ImageParam::Dimension::extent() const { return field_of(image_, d_, Field::Extent); }
Expr ImageParam::Dimension::max() const { return min() + extent() - 1; }
Expr ImageParam::Dimension::stride() const { return field_of(image_, d_, Field::Stride); }

const std::string& ImageParam::name() const { return existing(contents_).name; }
Type ImageParam::type() const { return existing(contents_).type; }
int ImageParam::dimensions() const {
  return contents_ ? static_cast<int>(contents_->fields.size()) : 0;
}

void ImageParam::set(const Buffer<>& buffer, Location where) {
  if (buffer.defined() && (buffer.type() != type() || buffer.dimensions() != dimensions())) {
    throw AlgorithmError(
        make_diagnostic(name(), "set",
                        "the image is " + to_string(type()) + " with " +
                            counted(dimensions(), "dimension") + ", and the Buffer is " +
                            to_string(buffer.type()) + " with " +
                            std::to_string(buffer.dimensions()),
                        "give a Buffer of the image's type and number of dimensions")
            .at(where));
  }
  existing(contents_).buffer = buffer;
}
Buffer<> ImageParam::get() const { return existing(contents_).buffer; }
void ImageParam::reset() { existing(contents_).buffer = Buffer<>(); }

Expr ImageParam::access(std::vector<Expr> coordinates, Location where) const {
  existing(contents_);
  try {
    return access_image(contents_, std::move(coordinates));
  } catch (const AlgorithmError& refused) {
    Diagnostic diagnostic = refused.diagnostic();
    throw AlgorithmError(diagnostic.at(where));
  }
}
ImageParam::operator Func() const {
  Func copy(name() + "_im");
  copy(_) = (*this)(_);
  return copy;
}

}  // namespace sinter
