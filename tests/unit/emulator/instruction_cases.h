#pragma once
// PTX instructions with what they mean, written without the emulator's code, and operands to try.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sinter::emulator::tests {

struct InstructionCase {
  std::string text;    ///< "add.s32 $d, $a, $b;"; temporaries %p0 and %t0 (32 bit) are free
  std::string result;  ///< "u16", "f32", "pred", ...
  std::vector<std::string> operands;  ///< types of $a, $b, $c
  std::function<std::uint64_t(const std::uint64_t*)> meaning;
  /// Approximations: how far from the exact f32 result PTX lets a GPU be, by the last operand;
  /// infinite where it promises nothing. Null: not at all.
  double (*allowed)(float last, float exact) = nullptr;
};

const std::vector<InstructionCase>& instruction_cases();

/// The first lines of a module with such kernels.
inline const std::string PtxHeader = ".version 8.0\n.target sm_90a\n.address_size 64\n";
/// Operand sets of each case whose results on a GPU are kept.
inline constexpr std::size_t GoldenCount = 128;

/// One kernel `name`(operand arrays..., result array): each thread one set of operands.
std::string kernel_of(const InstructionCase&, const std::string& name);

/// Operand sets for a case: special values against one another, then random ones.
std::vector<std::vector<std::uint64_t>> operands_of(const InstructionCase&, std::size_t count);

unsigned width_of(const std::string& type);
bool is_nan(const std::string& type, std::uint64_t bits);

}  // namespace sinter::emulator::tests
