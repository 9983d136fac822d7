#pragma once
// Memory of the interpreter: what a stage, buffer or argument symbol stands for, with every access
// checked. A lane is poison when it depends on an element that was never written.

#include <memory>
#include <string>
#include <vector>

#include "dsl/ir/interpret.h"

namespace sinter::ir {

struct Lane {
  Scalar value;
  const Node* poison = nullptr;  // the read of a never-written element; null: a proper value
};
using Value = std::vector<Lane>;

[[noreturn]] void malformed(const std::string& reason);
/// An error that names the node at fault.
[[noreturn]] void malformed(const Node& node, const std::string& reason);

class Place {
 public:
  using Box = std::vector<BufferView::Dimension>;

  /// Memory of a Realize: dense, the first dimension innermost.
  static Place realized(const std::vector<Type>& types, Box box);
  /// Memory of an Allocate.
  static Place allocated(Type element, std::int64_t elements);
  /// The caller's memory; one view for each component.
  static Place argument(std::vector<BufferView> views);

  std::size_t components() const { return components_.size(); }
  bool is_argument() const { return kind_ == Kind::Argument; }
  /// Of an argument.
  BufferView view() const { return {components_[0].host, components_[0].type, components_[0].box}; }
  void release();

  /// Element number of coordinates; throws when they lie outside the box.
  std::int64_t element_of(const Node& node, std::size_t component,
                          const std::vector<std::int64_t>& coordinates) const;
  /// The flat index itself, when it names an element.
  std::int64_t element_of(const Node& node, std::int64_t index) const;
  Lane read(const Node& node, std::size_t component, Type type, std::int64_t element) const;
  void write(const Node& node, std::size_t component, const Lane& lane, std::int64_t element);

 private:
  enum class Kind { Realized, Allocated, Argument };
  struct Component {
    Type type;
    Box box;
    unsigned char* host = nullptr;     // addresses element 0: the one at the minima
    std::vector<unsigned char> bytes;  // of an allocation
    std::vector<bool> is_written;      // of an allocation
  };
  explicit Place(Kind kind) : kind_(kind) {}
  void add_component(Type type, const Box& box, std::int64_t elements);
  const Component& checked(const Node& node, std::size_t component, Type type) const;

  Kind kind_;
  bool is_freed_ = false;
  std::vector<Component> components_;
};

}  // namespace sinter::ir
