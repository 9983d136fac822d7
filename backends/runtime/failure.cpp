#include "backends/runtime/failure.h"

#include <array>
#include <bit>
#include <charconv>
#include <sstream>

#include "dsl/ir/scalar.h"

namespace sinter::backends {

namespace {

std::string plain_text(const ir::Scalar& scalar) {
  const Type t = scalar.type;
  if (t.is_bool()) return scalar.as_bool() ? "true" : "false";
  if (t.is_uint()) return std::to_string(static_cast<std::uint64_t>(scalar.integer));
  if (!t.is_float()) return std::to_string(scalar.integer);
  std::array<char, 64> text{};
  char* const begin = text.data();
  char* const end = begin + text.size();
  const auto written = t.bits == 64 ? std::to_chars(begin, end, scalar.real)
                                    : std::to_chars(begin, end, static_cast<float>(scalar.real));
  return std::string(begin, written.ptr);
}

}  // namespace

std::string format_failure(const std::string& typed, const std::uint64_t* values) {
  const std::size_t colon = typed.find(':');
  const std::string text = typed.substr(colon + 1);
  std::istringstream names(typed.substr(0, colon));
  std::string result;
  std::size_t from = 0;
  for (std::string name; std::getline(names, name, ','); ++values) {
    const Type type = parse_type(name);
    const ir::Scalar scalar =
        type.is_float() ? ir::Scalar::of_real(type, std::bit_cast<double>(*values))
                        : ir::Scalar::of_integer(type, static_cast<std::int64_t>(*values));
    const std::size_t hole = text.find("{}", from);
    if (hole == std::string::npos) break;
    result += text.substr(from, hole - from) + plain_text(scalar);
    from = hole + 2;
  }
  return result + text.substr(from);
}

}  // namespace sinter::backends
