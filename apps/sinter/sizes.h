#pragma once
// "width=1920,height=1080": the sizes of a run, as the command line writes them.

#include <string>

#include <sinter/registry.h>

namespace sinter::command {

/// `defaults` with the named entries replaced. Throws RuntimeError for text that is not k=v,...,
/// a name that `defaults` lacks (naming those there are), or a value that is no positive integer.
Sizes parse_sizes(const std::string& text, const Sizes& defaults);

std::string to_string(const Sizes&);

}  // namespace sinter::command
