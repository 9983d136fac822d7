#pragma once
// Parameters: Param<T> is a scalar, ImageParam an image, both given when the pipeline is called.

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <sinter/buffer.h>
#include <sinter/expr.h>

namespace sinter {

struct ParameterContents;
struct ImageContents;
class Func;

/// What does not depend on the parameter's C++ type.
class ParamBase {
 public:
  const std::string& name() const;
  Type type() const;
  operator Expr() const;
  const std::shared_ptr<ParameterContents>& contents() const { return contents_; }

 protected:
  enum class Slot { Value, Minimum, Maximum, Estimate };
  ParamBase(Type, const std::string& name);
  void write(Slot, const void* value);
  /// False when nothing was set.
  bool read(Slot, void* value) const;
  std::shared_ptr<ParameterContents> contents_;
};

/// A scalar argument. Copies are the same parameter.
template <typename T>
class Param : public ParamBase {
 public:
  Param() : ParamBase(type_of<T>(), "") {}
  explicit Param(const std::string& name) : ParamBase(type_of<T>(), name) {}
  explicit Param(const char* name) : Param(std::string(name)) {}
  explicit Param(T value)
    requires(!std::is_same_v<T, bool>)
      : Param() {
    set(value);
  }
  Param(const std::string& name, T value) : Param(name) { set(value); }
  Param(T value, T low, T high) : Param() {
    set(value);
    set_range(low, high);
  }
  Param(const std::string& name, T value, T low, T high) : Param(name, value) {
    set_range(low, high);
  }

  void set(T value) { write(Slot::Value, &value); }
  T get() const { return stored(Slot::Value); }
  void set_min_value(T value) { write(Slot::Minimum, &value); }
  void set_max_value(T value) { write(Slot::Maximum, &value); }
  void set_range(T low, T high) {
    set_min_value(low);
    set_max_value(high);
  }
  void set_estimate(T value) { write(Slot::Estimate, &value); }

 private:
  T stored(Slot slot) const {
    T value{};
    read(slot, &value);
    return value;
  }
};

/// An image argument.
class ImageParam {
  using Location = std::source_location;

 public:
  /// One dimension of the image, as expressions of its caller's buffer.
  class Dimension {
   public:
    Dimension(std::shared_ptr<ImageContents> image, int d) : image_(std::move(image)), d_(d) {}
    Expr min() const;
    Expr extent() const;
    Expr max() const;
    Expr stride() const;
    // What every buffer must have: each call checks it, and the compiler relies on it. Made of
    // numbers, Params and fields of images.
    Dimension& set_min(const Expr&, Location where = Location::current());
    Dimension& set_extent(const Expr&, Location where = Location::current());
    Dimension& set_stride(const Expr&, Location where = Location::current());
    Dimension& set_bounds(const Expr& min, const Expr& extent,
                          Location where = Location::current());

   private:
    std::shared_ptr<ImageContents> image_;
    int d_;
  };

  ImageParam() = default;
  ImageParam(Type, int dimensions, const std::string& name = "");

  bool defined() const { return contents_ != nullptr; }
  const std::string& name() const;
  Type type() const;
  int dimensions() const;
  Dimension dim(int d) const;
  Expr left() const { return dim(0).min(); }
  Expr right() const { return dim(0).max(); }
  Expr top() const { return dim(1).min(); }
  Expr bottom() const { return dim(1).max(); }
  Expr width() const { return dim(0).extent(); }
  Expr height() const { return dim(1).extent(); }
  Expr channels() const { return dim(2).extent(); }

  /// The buffer that realize() uses; refuses another type or rank.
  void set(const Buffer<>&, Location where = Location::current());
  Buffer<> get() const;
  void reset();

  Expr access(std::vector<Expr> coordinates, Location where = Location::current()) const;
  template <typename... Rest>
    requires(std::is_convertible_v<Rest, Expr> && ...)
  Expr operator()(const LocatedExpr& first, const Rest&... rest) const {
    return access({first.expr, static_cast<Expr>(rest)...}, first.where);
  }
  Expr operator()(Location where = Location::current()) const { return access({}, where); }
  Expr operator()(std::vector<Expr> coordinates, Location where = Location::current()) const {
    return access(std::move(coordinates), where);
  }

  /// A Func that copies the image.
  operator Func() const;
  /// A stage that copies the image, between it and all its callers or the given ones; as Func::in.
  Func in(Location where = Location::current()) const;
  Func in(const Func& caller, Location where = Location::current()) const;
  Func in(const std::vector<Func>& callers, Location where = Location::current()) const;
  const std::shared_ptr<ImageContents>& contents() const { return contents_; }

 private:
  std::shared_ptr<ImageContents> contents_;
};

}  // namespace sinter
