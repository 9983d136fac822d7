#include "backends/runtime/failure.h"

#include <bit>
#include <sstream>

#include "dsl/ir/scalar.h"

namespace sinter::backends {

std::string format_failure(const char* message, const char* types, const std::uint64_t* values) {
  const std::string text = message;
  std::istringstream names(types);
  std::string result;
  std::size_t from = 0;
  for (std::string name; std::getline(names, name, ','); ++values) {
    const Type type = parse_type(name);
    const ir::Scalar scalar = type.is_float() ? ir::Scalar::of_real(type, std::bit_cast<double>(*values))
                                              : ir::Scalar::of_integer(type, static_cast<std::int64_t>(*values));
    const std::size_t hole = text.find("{}", from);
    if (hole == std::string::npos) break;
    result += text.substr(from, hole - from) + ir::to_string(scalar);
    from = hole + 2;
  }
  return result + text.substr(from);
}

}  // namespace sinter::backends
