#pragma once
// Buffer<T, D>: a strided view of elements in memory, owned or borrowed. Copies of a Buffer share
// the view (as Halide's); cropped, sliced, translated, transposed give new views of the same
// memory. Buffer<> leaves the type to run time. Called with Exprs, a Buffer is an image in an
// algorithm.
//
// Views of one memory share its device side, made when a pipeline on a GPU first needs it. The side
// that was written last is the newer one; what is needed is copied when it is needed: elements come
// back at the first access from here, and go over at the next call after an access from here that
// could have changed them (data() and () of a Buffer<const T> cannot). A pointer that was kept from
// before a call is outside of this: copy_to_host() before reading through it, set_host_dirty()
// after writing. Memory borrowed from the caller is read and written by every call.

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/diagnostic.h>
#include <sinter/expr.h>

namespace sinter {

/// One dimension: coordinates [min, min + extent), `stride` elements apart (may be negative).
struct BufferDimension {
  int min = 0;
  int extent = 0;
  std::int64_t stride = 0;
};

class Target;

/// The device's side of a memory; made by the backends, which know devices.
class DeviceSide {
 public:
  virtual ~DeviceSide() = default;
  /// Copies all its bytes to `to`, after the work in flight that writes them.
  virtual void copy_out(std::byte* to) = 0;
  /// Waits for the work in flight that uses it.
  virtual void synchronize() = 0;
};

/// The memory of views, with at most one side on a device.
struct BufferMemory {
  static constexpr unsigned HostStale = 1;      // the device's side is newer
  static constexpr unsigned DeviceCurrent = 2;  // the device's side has all that was written

  std::shared_ptr<void> owner;  // empty: the caller's
  std::byte* low = nullptr;     // all views lie in [low, low + bytes)
  std::size_t bytes = 0;
  bool on_device_only = false;  // `low` is an address there
  bool dense = true;            // every byte belongs to an element
  bool borrowed = false;        // others read and write it without telling us
  bool pinned = false;          // copies to and from the device do not wait for each other
  std::atomic<unsigned> state{0};
  std::mutex mutex;  // of changes of what follows, and of `state`
  std::shared_ptr<DeviceSide> device;
};

/// What copies of a Buffer share.
struct BufferContents {
  std::shared_ptr<BufferMemory> memory;
  std::byte* host = nullptr;  // the element at all mins
  Type type;
  std::vector<BufferDimension> dimensions;
  std::string name;
  // What it is called as an image of an algorithm; made at first use.
  Symbol id;
  std::vector<std::array<Symbol, 3>> fields;

  /// Before elements are read, or perhaps written, here.
  void use_on_host(bool writes) const {
    using M = BufferMemory;
    const unsigned state = memory->state.load(std::memory_order_acquire);
    if (state & (writes ? M::HostStale | M::DeviceCurrent : M::HostStale)) [[unlikely]]
      bring_to_host(writes);
  }
  /// Refuses memory that is on a device only.
  void bring_to_host(bool writes) const;
};

/// Coordinates of a dimension, to look at and to iterate over.
class BufferRange {
 public:
  explicit BufferRange(const BufferDimension& d) : dimension_(d) {}
  int min() const { return dimension_.min; }
  int extent() const { return dimension_.extent; }
  int max() const { return dimension_.min + dimension_.extent - 1; }
  std::int64_t stride() const { return dimension_.stride; }
  struct Iterator {
    int value;
    int operator*() const { return value; }
    Iterator& operator++() {
      ++value;
      return *this;
    }
    bool operator!=(const Iterator& o) const { return value != o.value; }
  };
  Iterator begin() const { return {min()}; }
  Iterator end() const { return {min() + extent()}; }

 private:
  BufferDimension dimension_;
};

/// What does not depend on the element's C++ type.
class BufferBase {
 public:
  bool defined() const { return contents_ != nullptr; }
  Type type() const { return contents_ ? contents_->type : Type{}; }
  int dimensions() const { return contents_ ? static_cast<int>(contents_->dimensions.size()) : 0; }
  const std::string& name() const;
  void set_name(const std::string&);

  BufferRange dim(int d) const { return BufferRange(dimension(d)); }
  int min(int d) const { return dimension(d).min; }
  int extent(int d) const { return dimension(d).extent; }
  int max(int d) const { return dim(d).max(); }
  std::int64_t stride(int d) const { return dimension(d).stride; }
  int width() const { return dimensions() > 0 ? extent(0) : 1; }
  int height() const { return dimensions() > 1 ? extent(1) : 1; }
  int channels() const { return dimensions() > 2 ? extent(2) : 1; }
  int left() const { return min(0); }
  int right() const { return max(0); }
  int top() const { return min(1); }
  int bottom() const { return max(1); }
  std::size_t number_of_elements() const;
  std::size_t size_in_bytes() const {
    return number_of_elements() * static_cast<std::size_t>(type().bytes());
  }
  bool contains(const std::vector<int>& coordinates) const;
  /// This view owns its memory together with others; false: the memory is the caller's.
  bool owns_memory() const { return contents_ && contents_->memory->owner != nullptr; }

  // The device's side.
  bool has_device_allocation() const { return contents_ && contents_->memory->device != nullptr; }
  /// The elements here are newer than the device's, or there are none on a device.
  bool host_dirty() const {
    return contents_ && (contents_->memory->state & BufferMemory::DeviceCurrent) == 0;
  }
  /// Those on the device are newer.
  bool device_dirty() const {
    return contents_ && (contents_->memory->state & BufferMemory::HostStale) != 0;
  }
  /// Says that elements were written through a pointer kept from before.
  void set_host_dirty() const;
  /// The same of a pointer to the device's side.
  void set_device_dirty() const;
  /// Afterwards the elements are here, and stay current on the device.
  void copy_to_host() const;
  /// Afterwards they are on the target's device, and stay current here. Borrowed memory then stays
  /// there until device_free(), as owned memory does.
  void copy_to_device(const Target&) const;
  /// Drops the device's side; what is newer there comes back first.
  void device_free() const;
  /// Waits for the work in flight that uses the device's side.
  void device_sync() const;
  /// The address of the element at all mins on the target's device, brought there first; for other
  /// libraries. Writing through it needs set_device_dirty().
  void* device_data(const Target&) const;

  void set_min(const std::vector<int>& mins);
  template <typename... Ints>
    requires(sizeof...(Ints) > 0 && (std::is_integral_v<Ints> && ...))
  void set_min(Ints... mins) {
    set_min(std::vector<int>{static_cast<int>(mins)...});
  }
  /// In place; copies of this Buffer see it.
  void translate(int d, int delta);
  void translate(const std::vector<int>& deltas);
  void crop(int d, int min, int extent);
  void crop(const std::vector<std::pair<int, int>>& box);
  void slice(int d, int position);
  void slice(int d) { slice(d, min(d)); }
  void transpose(int d1, int d2);
  void transpose(const std::vector<int>& order);
  /// A new outermost dimension of extent 1.
  void add_dimension();
  void embed(int d, int position);

  /// The element at all mins, here.
  void* raw_data() const {
    if (contents_ == nullptr) return nullptr;
    contents_->use_on_host(true);
    return contents_->host;
  }
  const std::shared_ptr<BufferContents>& contents() const { return contents_; }
  bool same_as(const BufferBase& other) const { return contents_ == other.contents_; }
  /// An access in an algorithm.
  Expr access(std::vector<Expr> coordinates) const;

 protected:
  BufferBase() = default;
  explicit BufferBase(std::shared_ptr<BufferContents> contents) : contents_(std::move(contents)) {}
  static std::shared_ptr<BufferContents> allocate(Type, const std::vector<int>& extents,
                                                  const std::string& name,
                                                  const std::vector<int>& storage_order = {});
  static std::shared_ptr<BufferContents> borrow(Type, void* data,
                                                const std::vector<BufferDimension>&,
                                                const std::string& name);
  /// Memory on the target's device; `owner` keeps it.
  static std::shared_ptr<BufferContents> borrow_device(const Target&, Type, void* address,
                                                       const std::vector<BufferDimension>&,
                                                       const std::string& name,
                                                       std::shared_ptr<void> owner = nullptr);
  static std::shared_ptr<BufferContents> allocate_pinned(const Target&, Type,
                                                         const std::vector<int>& extents,
                                                         const std::string& name);
  static std::vector<BufferDimension> dense(const std::vector<int>& extents);
  std::shared_ptr<BufferContents> view() const;
  std::shared_ptr<BufferContents> copied() const;
  void copy_elements_from(const BufferBase& source);
  /// Throws unless elements are of `wanted` (Void: any) and there are `rank` dimensions (-1: any).
  void check_is(Type wanted, int rank) const;
  const BufferDimension& dimension(int d) const {
    if (d < 0 || d >= dimensions()) no_such_dimension(d);
    return contents_->dimensions[static_cast<std::size_t>(d)];
  }
  [[noreturn]] void no_such_dimension(int d) const;
  /// What the handle refers to; refuses one that was never given a buffer.
  BufferContents& existing() const {
    if (contents_ == nullptr) no_buffer();
    return *contents_;
  }
  [[noreturn]] static void no_buffer();
  /// Refuses unless every element of `box` has coordinates of this buffer.
  void check_covers(const BufferBase& box) const;
  /// Calls `visit(address)` for each element, dimension 0 innermost.
  template <typename Visit>
  static void visit_elements(const BufferContents& c, std::size_t d, std::byte* address,
                             Visit&& visit) {
    if (d == 0) {
      visit(address);
      return;
    }
    const BufferDimension& dim = c.dimensions[d - 1];
    const std::int64_t step = dim.stride * c.type.bytes();
    for (int i = 0; i < dim.extent; ++i) visit_elements(c, d - 1, address + i * step, visit);
  }

  std::shared_ptr<BufferContents> contents_;
};

/// `T` void: the element type is known at run time. `D` -1: so is the number of dimensions.
template <typename T = void, int D = -1>
class Buffer : public BufferBase {
  static constexpr bool IsTyped = !std::is_void_v<T>;
  static constexpr bool Writes = !std::is_const_v<T>;  // what it gives access to may be written
  using Element = std::conditional_t<IsTyped, T, std::byte>;
  template <typename U, int E>
  friend class Buffer;

 public:
  Buffer() = default;
  /// Owned memory, dense, dimension 0 innermost, contents unspecified.
  explicit Buffer(const std::vector<int>& extents, const std::string& name = "")
    requires IsTyped
      : BufferBase(allocate(type_of<T>(), extents, name)) {
    check_is({}, D);
  }
  explicit Buffer(std::initializer_list<int> extents, const std::string& name = "")
    requires IsTyped
      : Buffer(std::vector<int>(extents), name) {}
  template <typename... Ints>
    requires(IsTyped && (std::is_integral_v<Ints> && ...))
  explicit Buffer(int first, Ints... rest)
      : Buffer(std::vector<int>{first, static_cast<int>(rest)...}) {}
  Buffer(Type type, const std::vector<int>& extents, const std::string& name = "")
      : BufferBase(allocate(type, extents, name)) {
    check_is(static_type(), D);
  }
  template <typename... Ints>
    requires(std::is_integral_v<Ints> && ...)
  Buffer(Type type, int first, Ints... rest)
      : Buffer(type, std::vector<int>{first, static_cast<int>(rest)...}) {}
  /// The caller's memory, dense or with given dimensions; `data` is the element at all mins.
  Buffer(T* data, const std::vector<int>& extents, const std::string& name = "")
    requires IsTyped
      : BufferBase(borrow(type_of<T>(), const_cast<std::remove_const_t<Element>*>(data),
                          dense(extents), name)) {
    check_is({}, D);
  }
  template <typename... Ints>
    requires(IsTyped && (std::is_integral_v<Ints> && ...))
  Buffer(Element* data, int first, Ints... rest)
      : Buffer(data, std::vector<int>{first, static_cast<int>(rest)...}) {}
  Buffer(Element* data, const std::vector<BufferDimension>& dimensions,
         const std::string& name = "")
    requires IsTyped
      : BufferBase(borrow(type_of<T>(), const_cast<std::remove_const_t<Element>*>(data), dimensions,
                          name)) {
    check_is({}, D);
  }
  Buffer(Type type, void* data, const std::vector<int>& extents, const std::string& name = "")
      : BufferBase(borrow(type, data, dense(extents), name)) {
    check_is(static_type(), D);
  }
  Buffer(Type type, void* data, const std::vector<BufferDimension>& dimensions,
         const std::string& name = "")
      : BufferBase(borrow(type, data, dimensions, name)) {
    check_is(static_type(), D);
  }
  /// Owned memory here that the target's device copies from and to by itself: faster, and while the
  /// caller goes on. An access from here that could change elements waits for it; through a pointer
  /// kept from before, device_sync() first.
  static Buffer make_pinned(const Target& target, const std::vector<int>& extents,
                            const std::string& name = "")
    requires IsTyped
  {
    return Buffer(allocate_pinned(target, type_of<T>(), extents, name));
  }
  /// The caller's memory on the target's device; checked to be that. Its elements are not here:
  /// copy() brings them.
  static Buffer wrap_device(const Target& target, Element* address, const std::vector<int>& extents,
                            const std::string& name = "")
    requires IsTyped
  {
    return Buffer(borrow_device(target, type_of<T>(), address, dense(extents), name));
  }
  static Buffer wrap_device(const Target& target, Type type, void* address,
                            const std::vector<BufferDimension>& dimensions,
                            const std::string& name = "") {
    return Buffer(borrow_device(target, type, address, dimensions, name));
  }
  /// The same view under another static type; throws RuntimeError when the types differ.
  template <typename U, int E>
  Buffer(const Buffer<U, E>& other) : BufferBase(other.contents_) {
    if (other.defined()) check_is(static_type(), D);
  }

  template <typename U, int E = D>
  Buffer<U, E> as() const {
    return Buffer<U, E>(*this);
  }

  static Buffer make_scalar(const std::string& name = "")
    requires IsTyped
  {
    return Buffer(std::vector<int>{}, name);
  }
  static Buffer make_scalar(Type type, const std::string& name = "") {
    return Buffer(type, std::vector<int>{}, name);
  }
  static Buffer make_scalar(Element* data)
    requires IsTyped
  {
    return Buffer(data, std::vector<int>{});
  }
  /// Dimension 2 (channels) is innermost in memory.
  static Buffer make_interleaved(int width, int height, int channels, const std::string& name = "")
    requires IsTyped
  {
    return Buffer(allocate(type_of<T>(), {width, height, channels}, name, {2, 0, 1}));
  }
  static Buffer make_interleaved(Type type, int width, int height, int channels,
                                 const std::string& name = "") {
    return Buffer(allocate(type, {width, height, channels}, name, {2, 0, 1}));
  }
  static Buffer make_interleaved(Element* data, int width, int height, int channels)
    requires IsTyped
  {
    return Buffer(data, std::vector<BufferDimension>{{0, width, channels},
                                                     {0, height, std::int64_t{width} * channels},
                                                     {0, channels, 1}});
  }
  /// Owned memory with the extents and mins of `other`.
  template <typename U, int E>
  static Buffer make_with_shape_of(const Buffer<U, E>& other) {
    other.existing();
    std::vector<int> extents, mins;
    for (int d = 0; d < other.dimensions(); ++d) {
      extents.push_back(other.extent(d));
      mins.push_back(other.min(d));
    }
    Buffer result(IsTyped ? static_type() : other.type(), extents);
    result.BufferBase::set_min(mins);
    return result;
  }

  T* data() const {
    if (!defined()) return nullptr;
    contents_->use_on_host(Writes);
    return reinterpret_cast<T*>(contents_->host);
  }
  T* begin() const { return data(); }

  /// The element at integer coordinates; checked by assertions in debug builds only.
  template <typename... Ints>
    requires(IsTyped && (std::is_integral_v<std::remove_cvref_t<Ints>> && ...))
  Element& operator()(Ints... coordinates) const {
    const BufferContents& contents = existing();
    assert(contains({static_cast<int>(coordinates)...}));
    contents.use_on_host(Writes);
    const BufferDimension* d = contents.dimensions.data();
    std::int64_t offset = 0;
    ((offset += (static_cast<std::int64_t>(coordinates) - d->min) * d->stride, ++d), ...);
    return reinterpret_cast<Element*>(contents.host)[offset];
  }
  Element& operator()(const int* coordinates) const
    requires IsTyped
  {
    const BufferContents& contents = existing();
    contents.use_on_host(Writes);
    std::int64_t offset = 0;
    for (const BufferDimension& d : contents.dimensions)
      offset += (std::int64_t{*coordinates++} - d.min) * d.stride;
    return reinterpret_cast<Element*>(contents.host)[offset];
  }
  /// An access in an algorithm.
  template <typename... Args>
    requires(sizeof...(Args) > 0 && (std::is_convertible_v<Args, Expr> && ...) &&
             !(IsTyped && (std::is_integral_v<std::remove_cvref_t<Args>> && ...)))
  Expr operator()(Args&&... args) const {
    return access({static_cast<Expr>(std::forward<Args>(args))...});
  }
  Expr operator()(std::vector<Expr> args) const { return access(std::move(args)); }

  Buffer copy() const { return Buffer(copied()); }
  /// Elements of the common box are copied; the types must agree.
  template <typename U, int E>
  void copy_from(const Buffer<U, E>& source) {
    copy_elements_from(source);
  }
  Buffer translated(int d, int delta) const {
    return changed([&](Buffer& b) { b.translate(d, delta); });
  }
  Buffer translated(const std::vector<int>& deltas) const {
    return changed([&](Buffer& b) { b.translate(deltas); });
  }
  Buffer cropped(int d, int min, int extent) const {
    return changed([&](Buffer& b) { b.crop(d, min, extent); });
  }
  Buffer cropped(const std::vector<std::pair<int, int>>& box) const {
    return changed([&](Buffer& b) { b.crop(box); });
  }
  Buffer<T> sliced(int d, int position) const {
    Buffer<T> b(view());
    b.slice(d, position);
    return b;
  }
  Buffer<T> sliced(int d) const { return sliced(d, min(d)); }
  Buffer transposed(int d1, int d2) const {
    return changed([&](Buffer& b) { b.transpose(d1, d2); });
  }
  Buffer transposed(const std::vector<int>& order) const {
    return changed([&](Buffer& b) { b.transpose(order); });
  }
  Buffer<T> embedded(int d, int position = 0) const {
    Buffer<T> b(view());
    b.embed(d, position);
    return b;
  }

  const Buffer& fill(Element value) const
    requires(IsTyped && !std::is_const_v<T>)
  {
    return for_each_value([&](Element& e) { e = value; });
  }
  /// Calls `f(element)`, or with the elements of `others` at the same coordinates, which they must
  /// have, as further arguments.
  template <typename F>
  const Buffer& for_each_value(F&& f) const
    requires IsTyped
  {
    const BufferContents& contents = existing();
    contents.use_on_host(Writes);
    visit_elements(contents, contents.dimensions.size(), contents.host,
                   [&](std::byte* address) { f(*reinterpret_cast<Element*>(address)); });
    return *this;
  }
  template <typename F, typename... Others>
    requires(IsTyped && sizeof...(Others) > 0)
  const Buffer& for_each_value(F&& f, const Others&... others) const {
    (others.check_covers(*this), ...);
    for_each_coordinates([&](const int* c) { f((*this)(c), others(c)...); });
    return *this;
  }
  /// Calls `f(x, y, ...)`, or `f(const int* coordinates)`, for all coordinates, dimension 0
  /// fastest.
  template <typename F>
  const Buffer& for_each_element(F&& f) const {
    for_each_coordinates([&](const int* c) {
      if constexpr (std::is_invocable_v<F, const int*>) f(c);
      else spread(f, c);
    });
    return *this;
  }
  bool all_equal(Element value) const
    requires IsTyped
  {
    bool equal = true;
    for_each_value([&](const Element& e) { equal = equal && e == value; });
    return equal;
  }

 private:
  explicit Buffer(std::shared_ptr<BufferContents> contents) : BufferBase(std::move(contents)) {
    if (defined()) check_is(static_type(), D);
  }
  static constexpr Type static_type() {
    if constexpr (IsTyped) return type_of<T>();
    else return Type{};
  }
  template <typename Change>
  Buffer changed(Change&& change) const {
    Buffer result(view());
    change(result);
    return result;
  }
  template <typename Visit>
  void for_each_coordinates(Visit&& visit) const {
    const std::vector<BufferDimension> dims = existing().dimensions;
    std::vector<int> c;
    for (const BufferDimension& d : dims) {
      if (d.extent <= 0) return;
      c.push_back(d.min);
    }
    while (true) {
      visit(static_cast<const int*>(c.data()));
      std::size_t d = 0;
      for (; d < dims.size(); ++d) {
        if (++c[d] < dims[d].min + dims[d].extent) break;
        c[d] = dims[d].min;
      }
      if (d == dims.size()) return;
    }
  }
  template <std::size_t N = 0, typename F>
  void spread(F& f, const int* c) const {
    call_with<N>(f, c, std::make_index_sequence<N>{});
  }
  template <std::size_t N, typename F, std::size_t... I>
  void call_with(F& f, const int* c, std::index_sequence<I...>) const {
    if constexpr (invocable_with(std::type_identity<F>{}, std::index_sequence<I...>{})) {
      check_is({}, static_cast<int>(N));
      f(c[I]...);
    } else {
      static_assert(N < 12, "for_each_element needs a function of int coordinates");
      call_with<N + 1>(f, c, std::make_index_sequence<N + 1>{});
    }
  }
  template <typename F, std::size_t... I>
  static constexpr bool invocable_with(std::type_identity<F>, std::index_sequence<I...>) {
    return std::is_invocable_v<F&, decltype(static_cast<int>(I))...>;
  }
};

}  // namespace sinter
