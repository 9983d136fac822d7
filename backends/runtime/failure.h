#pragma once
// The text of a failed Assert.

#include <cstdint>
#include <string>

namespace sinter::backends {

/// `message` with its {} replaced by the values, in order. `types` as "i32,f64"; bits as in
/// RuntimeContext::fail.
std::string format_failure(const char* message, const char* types, const std::uint64_t* values);

}  // namespace sinter::backends
