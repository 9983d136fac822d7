#include "dsl/algorithm/images.h"

#include "dsl/algorithm/define.h"
#include "dsl/algorithm/wording.h"

namespace sinter {

namespace {

std::vector<std::array<Symbol, 3>> new_fields(const std::string& name, std::size_t rank) {
  std::vector<std::array<Symbol, 3>> fields;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::string suffix = "." + std::to_string(d);
    fields.push_back({Symbol::fresh(name + ".min" + suffix),
                      Symbol::fresh(name + ".extent" + suffix),
                      Symbol::fresh(name + ".stride" + suffix)});
  }
  return fields;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what,
                         const std::string& reason, const std::string& remedy) {
  throw AlgorithmError(make_diagnostic(name, what, reason, remedy));
}

}  // namespace

std::shared_ptr<ImageContents> new_image(Type type, int dimensions, const std::string& name) {
  if (type.is_void() || dimensions < 0) {
    refuse(name, "ImageParam",
           "its elements are " + to_string(type) + ", and its number of dimensions is " +
               std::to_string(dimensions),
           "give it an element type and at least 0 dimensions: ImageParam(UInt(8), 2)");
  }
  auto image = std::make_shared<ImageContents>();
  image->name = name.empty() ? "image" : name;
  image->id = Symbol::fresh(image->name);
  image->type = type;
  image->fields = new_fields(image->name, static_cast<std::size_t>(dimensions));
  return image;
}

std::shared_ptr<const ImageContents> image_of(const BufferBase& buffer) {
  if (!buffer.defined())
    refuse("", "call of a Buffer", "the Buffer is undefined", "construct it with extents");
  BufferContents& contents = *buffer.contents();
  const std::string name = contents.name.empty() ? "buffer" : contents.name;
  if (!contents.id) {
    contents.id = Symbol::fresh(name);
    contents.fields = new_fields(name, contents.dimensions.size());
  }
  auto image = std::make_shared<ImageContents>();
  image->name = name;
  image->id = contents.id;
  image->type = contents.type;
  image->fields = contents.fields;
  image->is_parameter = false;
  struct Handle : Buffer<> {
    explicit Handle(std::shared_ptr<BufferContents> c) { contents_ = std::move(c); }
  };
  image->buffer = Handle(buffer.contents());
  return image;
}

void check_coordinates(const std::vector<Expr>& coordinates, const std::string& name) {
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    if (!coordinates[d].defined()) {
      refuse(name, "call", "coordinate " + std::to_string(d) + " is an undefined Expr",
             "give it a value");
    }
    const Type type = coordinates[d].type();
    if (type.is_integer() || type.is_bool()) continue;
    refuse(name, "call",
           "coordinate " + std::to_string(d) + " is " + to_string(type) + ", not an integer",
           "cast it: i32(...)");
  }
}

Expr access_image(const std::shared_ptr<const ImageContents>& image,
                  std::vector<Expr> coordinates) {
  if (has_placeholder(coordinates))
    coordinates = without_placeholder(coordinates, image->fields.size());
  if (coordinates.size() != image->fields.size()) {
    refuse(image->name, "call",
           "it has " + counted(image->fields.size(), "dimension") + " and is called with " +
               counted(coordinates.size(), "coordinate"),
           "give one coordinate per dimension");
  }
  check_coordinates(coordinates, image->name);
  ir::Node node;
  node.op = ir::Op::Access;
  node.type = image->type;
  node.symbol = image->id;
  for (const Expr& e : coordinates) node.args.push_back(e.node());
  return with_entity(std::move(node), image);
}

Expr field_of(const std::shared_ptr<const ImageContents>& image, int dimension, Field field) {
  if (dimension < 0 || static_cast<std::size_t>(dimension) >= image->fields.size()) {
    refuse(image->name, "dim(" + std::to_string(dimension) + ")",
           "it has " + counted(image->fields.size(), "dimension"), "use a dimension below that");
  }
  auto entity = std::make_shared<ImageField>();
  entity->image = image;
  entity->symbol =
      image->fields[static_cast<std::size_t>(dimension)][static_cast<std::size_t>(field)];
  const Symbol symbol = entity->symbol;
  return symbol_of(Int(32), symbol, entity);
}

}  // namespace sinter
