#include <sinter/buffer.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/buffer_memory.h"
#include "dsl/algorithm/entities.h"
#include "dsl/algorithm/images.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

namespace {

constexpr std::size_t Alignment = 128;  // of a cache line pair, and of what vectors want
constexpr std::size_t HugePage = std::size_t{2} << 20;

/// Null when there is none. From two huge pages on in huge pages, where the system has them:
/// pictures are streamed, and each small page costs a miss in the TLB and stops the prefetchers.
void* take_memory(std::size_t bytes) {
  const bool huge = bytes >= 2 * HugePage;
  const std::size_t unit = huge ? HugePage : Alignment;
  if (bytes > std::numeric_limits<std::size_t>::max() - unit) return nullptr;
  void* const memory =
      std::aligned_alloc(unit, (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit);
#if defined(__linux__)
  // Advice: where it is not taken the pages are small ones.
  if (memory != nullptr && huge) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what,
                         const std::string& reason, const std::string& remedy) {
  throw RuntimeError(make_diagnostic(name, what, reason, remedy));
}

void check_extent(const std::string& name, std::size_t d, int extent) {
  if (extent >= 0) return;
  refuse(name, "Buffer",
         "extent " + std::to_string(extent) + " of dimension " + std::to_string(d) + " is negative",
         "give an extent of at least 0");
}

/// All coordinates [min, min + extent) are ints.
void check_coordinates(const std::string& name, std::size_t d, std::int64_t min, int extent) {
  constexpr std::int64_t Least = std::numeric_limits<int>::min();
  constexpr std::int64_t Most = std::numeric_limits<int>::max();
  if (Least <= min && min <= Most && min + std::max(extent, 1) - 1 <= Most) return;
  refuse(name, "Buffer",
         "coordinates of dimension " + std::to_string(d) + ", from " + std::to_string(min) +
             " with extent " + std::to_string(extent) + ", leave the range of int",
         "give a min whose last coordinate is at most " + std::to_string(Most));
}

[[noreturn]] void refuse_size(const std::string& name) {
  refuse(name, "Buffer", "its size does not fit 64 bits", "use smaller extents");
}

std::shared_ptr<BufferContents> new_contents(Type type, const std::string& name) {
  if (type.is_void()) {
    refuse(name, "Buffer", "its elements have no type", "give one: Buffer<>(UInt(8), {4, 3})");
  }
  auto contents = std::make_shared<BufferContents>();
  contents->memory = std::make_shared<BufferMemory>();
  contents->type = type;
  contents->name = name;
  return contents;
}

}  // namespace

const std::string& BufferBase::name() const {
  static const std::string empty;
  return contents_ ? contents_->name : empty;
}
void BufferBase::set_name(const std::string& name) { existing().name = name; }

std::size_t BufferBase::number_of_elements() const {
  if (!defined()) return 0;
  std::size_t count = 1;
  for (const BufferDimension& d : contents_->dimensions)
    count *= static_cast<std::size_t>(std::max(d.extent, 0));
  return count;
}

bool BufferBase::contains(const std::vector<int>& coordinates) const {
  if (!defined() || coordinates.size() != contents_->dimensions.size()) return false;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const BufferDimension& d = contents_->dimensions[i];
    if (coordinates[i] < d.min || coordinates[i] - d.min >= d.extent) return false;
  }
  return true;
}

void BufferBase::no_buffer() {
  refuse("", "Buffer", "it is used before it is given memory",
         "construct it with extents, or assign a Buffer to it");
}

void BufferBase::check_covers(const BufferBase& box) const {
  existing();
  check_is({}, box.dimensions());
  for (int d = 0; d < dimensions(); ++d) {
    if (box.extent(d) <= 0 || (min(d) <= box.min(d) && box.max(d) <= max(d))) continue;
    refuse(name(), "Buffer",
           "dimension " + std::to_string(d) + " is visited in [" + std::to_string(box.min(d)) +
               ", " + std::to_string(box.max(d)) + "], and it has [" + std::to_string(min(d)) +
               ", " + std::to_string(max(d)) + "]",
           "give a Buffer of at least that box");
  }
}

void BufferBase::no_such_dimension(int d) const {
  existing();
  refuse(name(), "dimension " + std::to_string(d),
         "the buffer has " + counted(dimensions(), "dimension"), "use a dimension below that");
}

void BufferBase::set_min(const std::vector<int>& mins) {
  for (std::size_t i = 0; i < mins.size(); ++i) {
    check_coordinates(name(), i, mins[i], dimension(static_cast<int>(i)).extent);
    contents_->dimensions[i].min = mins[i];
  }
}

void BufferBase::translate(int d, int delta) {
  const auto i = static_cast<std::size_t>(d);
  check_coordinates(name(), i, std::int64_t{min(d)} + delta, extent(d));
  contents_->dimensions[i].min += delta;
}
void BufferBase::translate(const std::vector<int>& deltas) {
  for (std::size_t i = 0; i < deltas.size(); ++i) translate(static_cast<int>(i), deltas[i]);
}

void BufferBase::crop(int d, int min, int extent) {
  const BufferDimension old = dimension(d);
  const bool inside = extent >= 0 && min >= old.min &&
                      std::int64_t{min} + extent <= std::int64_t{old.min} + old.extent;
  if (!inside) {
    refuse(name(),
           "crop(" + std::to_string(d) + ", " + std::to_string(min) + ", " +
               std::to_string(extent) + ")",
           "dimension " + std::to_string(d) + " covers min " + std::to_string(old.min) +
               ", extent " + std::to_string(old.extent),
           "crop to a part of it");
  }
  contents_->host += (std::int64_t{min} - old.min) * old.stride * type().bytes();
  BufferDimension& now = contents_->dimensions[static_cast<std::size_t>(d)];
  now.min = min;
  now.extent = extent;
}
void BufferBase::crop(const std::vector<std::pair<int, int>>& box) {
  for (std::size_t i = 0; i < box.size(); ++i)
    crop(static_cast<int>(i), box[i].first, box[i].second);
}

void BufferBase::slice(int d, int position) {
  crop(d, position, 1);
  contents_->dimensions.erase(contents_->dimensions.begin() + d);
  contents_->fields.clear();  // a view of another rank is another image
  contents_->id = Symbol();
}

void BufferBase::transpose(int d1, int d2) {
  dimension(d1);
  dimension(d2);
  std::swap(contents_->dimensions[static_cast<std::size_t>(d1)],
            contents_->dimensions[static_cast<std::size_t>(d2)]);
}
void BufferBase::transpose(const std::vector<int>& order) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = static_cast<int>(order.size()) == dimensions();
  for (std::size_t i = 0; i < sorted.size(); ++i)
    is_permutation = is_permutation && sorted[i] == static_cast<int>(i);
  if (!is_permutation) {
    refuse(name(), "transpose", "the order is not a permutation of the buffer's dimensions",
           "name each dimension once");
  }
  std::vector<BufferDimension> dims;
  for (const int d : order) dims.push_back(dimension(d));
  existing().dimensions = dims;
}

void BufferBase::add_dimension() { embed(dimensions(), 0); }
void BufferBase::embed(int d, int position) {
  existing();
  if (d < 0 || d > dimensions()) no_such_dimension(d);
  std::int64_t stride = 1;
  for (const BufferDimension& each : contents_->dimensions) {
    stride = std::max(stride, std::abs(each.stride) * std::max(each.extent, 1));
  }
  contents_->dimensions.insert(contents_->dimensions.begin() + d,
                               BufferDimension{position, 1, stride});
  contents_->fields.clear();
  contents_->id = Symbol();
}

std::shared_ptr<BufferContents> BufferBase::allocate(Type type, const std::vector<int>& extents,
                                                     const std::string& name,
                                                     const std::vector<int>& storage_order) {
  auto contents = new_contents(type, name);
  contents->dimensions.resize(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t d = storage_order.empty() ? i : static_cast<std::size_t>(storage_order[i]);
    check_extent(name, d, extents[d]);
    contents->dimensions[d] = {0, extents[d], stride};
    if (__builtin_mul_overflow(stride, std::int64_t{extents[d]}, &stride)) refuse_size(name);
  }
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(stride, type.bytes(), &bytes)) refuse_size(name);
  void* memory = take_memory(bytes);
  if (memory == nullptr) {
    refuse(name, "Buffer", "there is no memory for its " + std::to_string(bytes) + " bytes",
           "use smaller extents");
  }
  contents->memory->owner = std::shared_ptr<void>(memory, std::free);
  contents->memory->low = contents->host = static_cast<std::byte*>(memory);
  contents->memory->bytes = bytes;
  return contents;
}

std::shared_ptr<BufferContents> BufferBase::borrow(Type type, void* data,
                                                   const std::vector<BufferDimension>& dims,
                                                   const std::string& name) {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    check_extent(name, d, dims[d].extent);
    check_coordinates(name, d, dims[d].min, dims[d].extent);
  }
  auto contents = new_contents(type, name);
  contents->host = static_cast<std::byte*>(data);
  contents->dimensions = dims;
  span_memory(*contents);
  contents->memory->borrowed = true;
  return contents;
}

std::vector<BufferDimension> BufferBase::dense(const std::vector<int>& extents) {
  std::vector<BufferDimension> dims;
  std::int64_t stride = 1;
  for (const int extent : extents) {
    dims.push_back({0, extent, stride});
    if (__builtin_mul_overflow(stride, std::int64_t{extent}, &stride)) refuse_size("");
  }
  return dims;
}

std::shared_ptr<BufferContents> BufferBase::view() const {
  auto result = std::make_shared<BufferContents>(existing());
  result->id = Symbol();  // another view is another image
  result->fields.clear();
  return result;
}

std::shared_ptr<BufferContents> BufferBase::copied() const {
  if (!defined()) return nullptr;
  struct Access : BufferBase {
    explicit Access(std::shared_ptr<BufferContents> c) : BufferBase(std::move(c)) {}
    using BufferBase::copied;
    using BufferBase::copy_elements_from;
  };
  if (contents_->memory->on_device_only) return Access(brought_here(*contents_)).copied();
  // The copy is dense, and keeps the order of the dimensions in memory.
  std::vector<int> extents, order;
  for (int d = 0; d < dimensions(); ++d) {
    extents.push_back(extent(d));
    order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(std::abs(stride(a)), a) < std::pair(std::abs(stride(b)), b);
  });
  auto result = allocate(type(), extents, name(), order);
  for (std::size_t d = 0; d < extents.size(); ++d)
    result->dimensions[d].min = contents_->dimensions[d].min;
  Access(result).copy_elements_from(*this);
  return result;
}

namespace {
void copy_box(const BufferContents& target, std::byte* to, const BufferContents& source,
              const std::byte* from, const std::vector<int>& extents, std::size_t rank) {
  const std::int64_t bytes = target.type.bytes();
  if (rank == 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    return;
  }
  const std::size_t d = rank - 1;
  const std::int64_t to_stride = target.dimensions[d].stride;
  const std::int64_t from_stride = source.dimensions[d].stride;
  if (d == 0 && to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(extents[0]) * static_cast<std::size_t>(bytes));
    return;
  }
  for (int i = 0; i < extents[d]; ++i) {
    copy_box(target, to + i * to_stride * bytes, source, from + i * from_stride * bytes, extents,
             d);
  }
}
}  // namespace

void BufferBase::copy_elements_from(const BufferBase& source) {
  existing();
  source.existing();
  source.check_is(type(), dimensions());
  contents_->use_on_host(true);
  source.contents_->use_on_host(false);
  std::vector<int> extents;
  std::byte* to = contents_->host;
  const std::byte* from = source.contents_->host;
  for (int d = 0; d < dimensions(); ++d) {
    const int low = std::max(min(d), source.min(d));
    const int high = std::min(max(d), source.max(d));
    if (high < low) return;
    extents.push_back(high - low + 1);
    to += (std::int64_t{low} - min(d)) * stride(d) * type().bytes();
    from += (std::int64_t{low} - source.min(d)) * source.stride(d) * type().bytes();
  }
  copy_box(*contents_, to, *source.contents_, from, extents, extents.size());
}

void BufferBase::check_is(Type wanted, int rank) const {
  if (!wanted.is_void() && type() != wanted) {
    refuse(name(), "Buffer", "its elements are " + to_string(type()) + ", not " + to_string(wanted),
           "use Buffer<> or a Buffer of its own element type");
  }
  if (rank >= 0 && dimensions() != rank) {
    refuse(name(), "Buffer",
           "it has " + counted(dimensions(), "dimension") + ", not " + std::to_string(rank),
           "use a Buffer without a fixed number of dimensions, or slice or embed it");
  }
}

Expr BufferBase::access(std::vector<Expr> coordinates) const {
  return access_image(image_of(*this), std::move(coordinates));
}

ir::BufferView view_of(const BufferBase& buffer) {
  ir::BufferView view;
  view.host = buffer.raw_data();
  view.type = buffer.type();
  for (int d = 0; d < buffer.dimensions(); ++d) {
    view.dimensions.push_back({buffer.min(d), buffer.extent(d), buffer.stride(d)});
  }
  return view;
}

std::shared_ptr<const ir::BufferView> shared_view_of(const BufferBase& buffer) {
  if (buffer.contents()->memory->on_device_only) return nullptr;
  struct Owned {
    ir::BufferView view;
    std::shared_ptr<BufferContents> contents;
  };
  auto owned = std::make_shared<const Owned>(Owned{view_of(buffer), buffer.contents()});
  return std::shared_ptr<const ir::BufferView>(owned, &owned->view);
}

}  // namespace sinter
