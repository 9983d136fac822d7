#pragma once
// The text of a failed Assert.

#include <cstdint>
#include <string>

namespace sinter::backends {

/// The message of `text` with its {} replaced by the values, in order; see RuntimeContext::fail.
std::string format_failure(const std::string& text, const std::uint64_t* values);

}  // namespace sinter::backends
