// Memory of the interpreter.

#include "dsl/ir/interpret_memory.h"

#include <algorithm>

#include <sinter/diagnostic.h>

namespace sinter::ir {

namespace {

/// Whether a flat index is the address of some element of the box. The larger strides are divided
/// out first, which decides it exactly when rows do not overlap; views that do overlap are held to
/// their hull.
bool addresses_element(const std::vector<BufferView::Dimension>& box, std::int64_t index) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // |stride|, extent
  std::int64_t low = 0, high = 0;
  for (const BufferView::Dimension& d : box) {
    if (d.extent <= 0) return false;
    const std::int64_t reach = (d.extent - 1) * d.stride;
    (reach < 0 ? low : high) += reach;
    if (d.stride != 0 && d.extent > 1)
      steps.emplace_back(d.stride < 0 ? -d.stride : d.stride, d.extent);
  }
  if (index < low || index > high) return false;
  std::sort(steps.begin(), steps.end());
  std::int64_t span = 0;
  for (const auto& [stride, extent] : steps) {
    if (stride <= span) return true;
    span += stride * (extent - 1);
  }
  std::int64_t rest = index - low;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (rest / step->first >= step->second) return false;
    rest %= step->first;
  }
  return rest == 0;
}

}  // namespace

void malformed(const std::string& reason) { throw InternalError("interpret: " + reason); }

void malformed(const Node& node, const std::string& reason) {
  const Ref copy = make(node);
  std::string text = is_statement(node.op) ? print(Stmt(copy)) : print(Expr(copy));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  constexpr std::size_t Longest = 400;
  if (text.size() > Longest) text = text.substr(0, Longest) + "...";
  malformed(reason + " in: " + text);
}

void Place::add_component(Type type, const Box& box, std::int64_t elements) {
  constexpr std::int64_t Limit = std::int64_t{1} << 31;
  if (elements > Limit)
    malformed("an allocation of " + std::to_string(elements) +
              " elements is too large to interpret");
  Component component{type, box, nullptr, {}, {}};
  component.bytes.resize(static_cast<std::size_t>(elements * type.bytes()));
  component.is_written.resize(static_cast<std::size_t>(elements));
  component.host = component.bytes.data();
  components_.push_back(std::move(component));
}

Place Place::realized(const std::vector<Type>& types, Box box) {
  std::int64_t elements = 1;
  for (BufferView::Dimension& d : box) {
    d.extent = std::max<std::int64_t>(d.extent, 0);
    d.stride = elements;
    if (__builtin_mul_overflow(elements, d.extent, &elements))
      malformed("the size of a realization leaves 64 bits");
  }
  Place place(Kind::Realized);
  for (const Type type : types) place.add_component(type, box, elements);
  return place;
}

Place Place::allocated(Type element, std::int64_t elements) {
  Place place(Kind::Allocated);
  elements = std::max<std::int64_t>(elements, 0);
  place.add_component(element, {{0, elements, 1}}, elements);
  return place;
}

Place Place::argument(std::vector<BufferView> views) {
  Place place(Kind::Argument);
  for (BufferView& view : views) {
    place.components_.push_back(
        {view.type, std::move(view.dimensions), static_cast<unsigned char*>(view.host), {}, {}});
  }
  return place;
}

void Place::release() {
  if (kind_ != Kind::Allocated) malformed("only an allocation can be freed");
  if (is_freed_) malformed("a buffer is freed twice");
  is_freed_ = true;
}

std::int64_t Place::element_of(const Node& node, std::size_t component,
                               const std::vector<std::int64_t>& coordinates) const {
  if (kind_ == Kind::Allocated) malformed(node, "an allocation has no coordinates");
  if (component >= components_.size()) malformed(node, "there is no such component");
  const Box& box = components_[component].box;
  if (coordinates.size() != box.size())
    malformed(node, "the number of coordinates differs from that of the memory");
  std::int64_t element = 0;
  for (std::size_t d = 0; d < box.size(); d++) {
    const std::int64_t offset = coordinates[d] - box[d].min;
    if (offset < 0 || offset >= box[d].extent) {
      malformed(node, "coordinate " + std::to_string(coordinates[d]) + " of dimension " +
                          std::to_string(d) + " is outside [" + std::to_string(box[d].min) + ", " +
                          std::to_string(box[d].min + box[d].extent) + ")");
    }
    element += offset * box[d].stride;
  }
  return element;
}

std::int64_t Place::element_of(const Node& node, std::int64_t index) const {
  if (kind_ == Kind::Realized) malformed(node, "a realization has no flat index");
  const Box& box = components_[0].box;
  const bool is_inside = kind_ == Kind::Allocated ? index >= 0 && index < box[0].extent
                                                  : addresses_element(box, index);
  if (!is_inside) malformed(node, "flat index " + std::to_string(index) + " is outside the buffer");
  return index;
}

const Place::Component& Place::checked(const Node& node, std::size_t component, Type type) const {
  if (is_freed_) malformed(node, "the buffer was freed");
  if (component >= components_.size()) malformed(node, "there is no such component");
  const Component& c = components_[component];
  if (c.type != type)
    malformed(node, "the memory holds " + to_string(c.type) + ", not " + to_string(type));
  return c;
}

Lane Place::read(const Node& node, std::size_t component, Type type, std::int64_t element) const {
  const Component& c = checked(node, component, type);
  const std::int64_t bytes = type.bytes();
  Lane lane{read_scalar(type, c.host + element * bytes), nullptr};
  if (kind_ != Kind::Argument && !c.is_written[static_cast<std::size_t>(element)])
    lane.poison = &node;
  return lane;
}

void Place::write(const Node& node, std::size_t component, const Lane& lane, std::int64_t element) {
  const Component& c = checked(node, component, lane.value.type);
  if (lane.poison != nullptr && kind_ == Kind::Argument) {
    malformed(node, "an element never written, read by '" + print(Expr(make(*lane.poison))) +
                        "', reaches an output");
  }
  const std::int64_t bytes = lane.value.type.bytes();
  write_scalar(lane.value, c.host + element * bytes);
  if (kind_ != Kind::Argument)
    components_[component].is_written[static_cast<std::size_t>(element)] = lane.poison == nullptr;
}

}  // namespace sinter::ir
