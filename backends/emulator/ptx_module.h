#pragma once
// PTX text, decoded once. Everything that the emulator does not know is an error here, with its
// line and name, and never a wrong result later.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::emulator {

class PtxError : public std::runtime_error {
 public:
  PtxError(unsigned at_line, const std::string& what)
      : std::runtime_error("PTX line " + std::to_string(at_line) + ": " + what), line(at_line) {}
  unsigned line;
};

struct ParameterInfo {
  std::string name;
  std::uint64_t offset, size, alignment;
};

struct KernelInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  std::uint64_t parameter_bytes = 0;
  std::uint64_t static_shared = 0;
  unsigned max_threads = 0;    ///< from .maxntid or .reqntid; 0 when not stated
  unsigned min_blocks = 0;     ///< from .minnctapersm
  unsigned max_registers = 0;  ///< from .maxnreg
};

namespace ptx {
struct Module;
}

class PtxModule {
 public:
  static PtxModule parse(std::string_view text);  ///< throws PtxError
  std::vector<KernelInfo> kernels() const;
  const std::shared_ptr<const ptx::Module>& implementation() const { return module_; }

 private:
  std::shared_ptr<const ptx::Module> module_;
};

}  // namespace sinter::emulator
