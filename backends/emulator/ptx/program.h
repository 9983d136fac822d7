#pragma once
// PTX decoded: what the warps execute.
//
// The register file of a warp is an array of units of 128 bytes: 32 lanes of 4 bytes. A 64-bit
// register is two units, a 16-bit one the first half of one, and a predicate one mask in one.
// Immediates and special registers are registers that are filled at the start.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/emulator/ptx/syntax.h"
#include "backends/emulator/ptx_module.h"
#include "backends/emulator/vector_clock.h"

namespace sinter::emulator::ptx {

using Slot = std::uint32_t;  ///< number of a register's first unit
inline constexpr std::size_t UnitBytes = 128;
inline constexpr Slot NoSlot = 0;    ///< reads as zero, always defined
inline constexpr Slot SinkSlot = 2;  ///< written, never read
inline constexpr Slot FirstSlot = 4;

/// Where generic addresses of the other spaces lie.
inline constexpr std::uint64_t SharedWindow = 0x7c00'0000'0000, LocalWindow = 0x7d00'0000'0000,
                               ParameterWindow = 0x7e00'0000'0000, WindowBytes = 1ull << 32;
/// Local addresses start here, so that none is null.
inline constexpr std::uint64_t LocalStart = 16;

enum class Kind : std::uint8_t {
  Compute,  ///< handler: registers to registers
  Clock,    ///< destination = a counter of width `detail`
  Load,
  Store,
  Atomic,
  Prefetch,     ///< `detail` in Module::memory
  Branch,       ///< to `detail`
  BranchTable,  ///< through Module::tables[detail], by source[0]
  Call,         ///< Module::calls[detail]
  Return,
  Exit,
  Trap,
  Exchange,     ///< Module::exchanges[detail]
  WarpBarrier,  ///< source[0]: member mask
  Barrier,      ///< Module::barriers[detail]
  Fence,        ///< of Scope `detail`
  CopyAsync,    ///< `detail` in Module::memory: the destination; source[1]: from; source[2]: bytes
  CopyCommit,
  CopyWait,  ///< all but the last `detail` groups
};

/// How undefined bits go through a Compute instruction.
enum class Flow : std::uint8_t {
  All,      ///< any undefined bit makes all of the result undefined
  Move,     ///< bit by bit from source[0]
  Bitwise,  ///< bit by bit from all sources
  And,
  Or,  ///< bit by bit, but a defined 0 (1) decides
  ShiftLeft,
  ShiftRight,
  ShiftRightSigned,
  Upward,   ///< add, sub, mul: from the lowest undefined bit up
  Select,   ///< selp: of the chosen source
  Pack,     ///< mov {..}: sources side by side
  Unpack,   ///< one piece of source[0], number `detail`
  Convert,  ///< integer to integer: `detail` packs the widths and the sign
  Bytes,    ///< prmt with a defined selector
  Halves,   ///< each 16 bits on their own: any undefined bit makes all of them undefined
  Insert,   ///< bfi at a defined place
};

struct Instruction;
using Handler = void (*)(std::byte* registers, const Instruction&, LaneMask);

struct Instruction {
  Handler handler = nullptr;
  Slot destination = SinkSlot, destination2 = SinkSlot;
  std::array<Slot, 4> source{};
  Slot guard = NoSlot;
  Kind kind = Kind::Compute;
  Flow flow = Flow::All;
  bool guard_negated = false;
  std::uint8_t width = 4;  ///< bytes of the destination; 0 for a predicate
  std::uint32_t detail = 0;
  std::uint64_t immediate = 0;
  std::uint32_t line = 0;
  std::uint32_t location = 0;  ///< in Module::locations
};

using AtomicOperation = std::uint64_t (*)(std::uint64_t old, std::uint64_t b, std::uint64_t c);

struct MemoryOperation {
  Space space = Space::Generic;
  std::uint8_t width = 4;  ///< bytes of an element
  std::uint8_t count = 1;
  std::uint8_t register_width = 4;
  std::uint8_t base_width = 8;  ///< of the address register
  bool sign = false;
  bool strong = false, acquire = false, release = false;
  bool read_only = false;  ///< .nc
  Scope scope = Scope::Block;
  Slot base = NoSlot;
  std::uint64_t offset = 0;
  std::array<Slot, 4> registers{};
  AtomicOperation operation = nullptr;
  Slot operand = NoSlot, operand2 = NoSlot;
  std::uint32_t index = 0;  ///< among all memory operations
};

enum class ExchangeOperation : std::uint8_t {
  ShuffleUp,
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  VoteAll,
  VoteAny,
  VoteUni,
  VoteBallot,
  MatchAny,
  MatchAll,
  ReduceAdd,
  ReduceMinSigned,
  ReduceMaxSigned,
  ReduceMin,
  ReduceMax,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  Elect,
  ActiveMask,
};

struct Exchange {
  ExchangeOperation operation;
  Slot mask = NoSlot;  ///< members
  std::uint8_t width = 4;
  bool negated = false;  ///< of a vote's predicate
};

struct BarrierOperation {
  bool aligned = true;
  bool arrive_only = false;
  enum class Reduction : std::uint8_t { None, Count, And, Or } reduction = Reduction::None;
  bool negated = false;                      ///< of the predicate
  Slot identifier = NoSlot, count = NoSlot;  ///< count NoSlot: all threads
  Slot predicate = NoSlot;
};

struct Function;
struct Copy {
  std::uint32_t from, to, bytes;  ///< in the lanes' frames
};
struct Call {
  std::uint32_t function = 0;
  std::vector<Copy> arguments, results;
};

enum class Special : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicSharedSize,
  TotalSharedSize,
};

/// What a kernel's warps have for registers, those of the functions it may call included.
struct RegisterFile {
  struct Constant {
    Slot slot;
    unsigned width;
    std::uint64_t bits;
  };
  std::vector<Constant> constants;
  struct SpecialRegister {
    Slot slot;
    Special special;
  };
  std::vector<SpecialRegister> specials;
  struct VariableAddress {
    Slot slot;
    unsigned width;
    std::uint32_t variable;
    std::uint64_t offset;
  };
  std::vector<VariableAddress> variable_addresses;
  struct ParameterValue {  ///< what ld.param would load into a register
    Slot slot;
    unsigned width;  ///< of the register
    std::uint64_t offset;
    unsigned bytes;
    bool sign;
  };
  std::vector<ParameterValue> parameters;
  std::vector<LaneMask> undefined_at_start;  ///< by unit
  Slot units = FirstSlot;
};

struct SharedVariable {
  std::string name;
  std::uint64_t offset, size;  ///< size 0: dynamic, to the end
};

struct Function {
  std::string name;
  bool kernel = false;
  std::uint32_t entry = 0, end = 0;  ///< instructions
  std::vector<std::uint32_t> frame_parameters, frame_results;
  std::vector<Variable> parameters, results;
  KernelInfo info;
  std::uint64_t shared_end = 0;        ///< where dynamic shared memory starts
  std::vector<SharedVariable> shared;  ///< of a kernel
  RegisterFile registers;              ///< of a kernel
};

struct Module {
  std::vector<Instruction> code;
  std::vector<MemoryOperation> memory;
  std::vector<std::vector<std::uint32_t>> tables;
  std::vector<Call> calls;
  std::vector<Exchange> exchanges;
  std::vector<BarrierOperation> barriers;
  std::vector<Function> functions;
  std::vector<Variable> variables;  ///< .global and .const
  std::vector<Location> locations;
  std::vector<std::string> files;

  std::uint64_t frame_bytes = LocalStart;  ///< local memory of a lane

  const Function* function_at(std::uint32_t instruction) const;
};

}  // namespace sinter::emulator::ptx
