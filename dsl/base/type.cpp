#include <sinter/type.h>

#include <limits>

namespace sinter {

std::int64_t Type::min_int() const {
  if (is_int())
    return bits == 64 ? std::numeric_limits<std::int64_t>::min() : -(std::int64_t{1} << (bits - 1));
  return 0;
}

std::int64_t Type::max_int() const {
  if (is_bool()) return 1;
  if (is_int())
    return bits == 64 ? std::numeric_limits<std::int64_t>::max()
                      : (std::int64_t{1} << (bits - 1)) - 1;
  return bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
}

std::string to_string(Type t) {
  std::string text;
  switch (t.kind) {
    case TypeKind::Void:
      return "void";
    case TypeKind::Index:
      text = "index";
      break;
    case TypeKind::Bool:
      text = "bool";
      break;
    case TypeKind::Int:
      text = "i" + std::to_string(t.bits);
      break;
    case TypeKind::UInt:
      text = "u" + std::to_string(t.bits);
      break;
    case TypeKind::Float:
      text = "f" + std::to_string(t.bits);
      break;
    case TypeKind::BFloat:
      text = "bf" + std::to_string(t.bits);
      break;
    case TypeKind::Handle:
      text = "handle";
      break;
  }
  if (t.lanes != 1) text += "x" + std::to_string(t.lanes);
  return text;
}

Type parse_type(const std::string& text) {
  std::string name = text;
  int lanes = 1;
  if (const auto x = text.find('x', text.rfind("index", 0) == 0 ? 5 : 0); x != std::string::npos) {
    name = text.substr(0, x);
    const std::string digits = text.substr(x + 1);
    if (digits.empty() || digits.size() > 5 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return {};
    lanes = std::stoi(digits);
    if (lanes < 1 || lanes > 65535) return {};
  }
  static constexpr Type all[] = {
      Index(),   Bool(),    Int(8),    Int(16),    Int(32),
      Int(64),   UInt(8),   UInt(16),  UInt(32),   UInt(64),
      Float(16), Float(32), Float(64), BFloat(16), {TypeKind::Handle, 64, 1}};
  for (const Type t : all) {
    if (to_string(t) == name) return t.with_lanes(lanes);
  }
  return {};
}

}  // namespace sinter
