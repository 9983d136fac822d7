#pragma once
// Target: the machine to compile for. Text forms: "host", "host-x86-64-v3", "nvptx-sm_90a",
// "amdgcn-gfx942", "emulated-nvptx-sm_90a", "emulated-amdgcn-gfx942".

#include <string>

namespace sinter {

class Target {
 public:
  enum class Family { Host, Nvptx, Amdgcn };

  /// The machine this process runs on.
  Target() = default;
  /// Throws CompileError naming the grammar when `text` is not of it.
  explicit Target(const std::string& text);
  Target(const char* text) : Target(std::string(text)) {}

  Family family() const { return family_; }
  bool is_host() const { return family_ == Family::Host; }
  bool is_gpu() const { return !is_host(); }
  bool is_emulated() const { return emulated_; }
  /// "sm_90a", "gfx942", "x86-64-v3"; empty for the host as it is.
  const std::string& architecture() const { return architecture_; }
  std::string to_string() const;

  /// Lanes of a warp or wave; 1 on the host.
  int lanes() const;
  /// Bits of the vector registers to aim at: the machine's on the host, 128 (one access) on GPUs.
  int vector_bits() const;
  /// Elements of `bits` width in a vector register.
  int natural_vector_size(int bits) const { return vector_bits() / bits; }

  bool operator==(const Target&) const = default;

 private:
  Family family_ = Family::Host;
  bool emulated_ = false;
  std::string architecture_;
};

}  // namespace sinter
