#pragma once
// What an emulated launch found and counted. A fault is a value, not an exception: a launch goes on
// after most of them, so that one run shows more than the first.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sinter::emulator {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

enum class FaultKind {
  OutOfBounds,        ///< no live allocation holds all bytes of the access
  Misaligned,         ///< the address is no multiple of the access's size
  Uninitialised,      ///< bits nobody wrote decide a branch or address, or reach an output
  SharedRace,         ///< two unordered accesses of shared memory, at least one a write
  GlobalRace,         ///< the same in global memory
  ReadOnlyWritten,    ///< a store to constant or parameter memory
  BarrierDivergence,  ///< threads of a warp or block disagree about a barrier
  InvalidSync,        ///< a *.sync instruction whose member mask leaves out its executor
  Deadlock,           ///< nothing can run, or all that runs only polls
  Trap,               ///< the kernel stopped itself
  InvalidOperand,     ///< an operand outside what the instruction defines
  LimitReached,       ///< the launch ran longer than Launch::instruction_limit
};

std::string to_string(FaultKind);

struct Fault {
  FaultKind kind = FaultKind::OutOfBounds;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  unsigned line = 0;     ///< of the PTX text, from 1; 0 when no instruction is to blame
  std::string function;  ///< kernel or device function
  std::string source;    ///< "file:line" from .loc, with the inlined function if .loc names one
  std::string text;      ///< what happened, with address and names
  std::uint64_t repeats = 0;  ///< further faults of this kind at this line (and partner line)
};

/// "kernel, PTX line 12 (blur.cpp:7), block (0,0,0) thread (3,0,0): out of bounds: ..."
std::string to_string(const Fault&);

struct Counts {
  std::uint64_t instructions = 0;     ///< of warps
  std::uint64_t lane_operations = 0;  ///< instructions times their active lanes
  std::uint64_t barriers = 0;         ///< completed block barriers
  std::uint64_t bank_conflicts = 0;   ///< extra wavefronts of shared accesses
  std::uint64_t global_requests = 0;  ///< warp instructions that reach global memory
  std::uint64_t global_sectors = 0;   ///< 32-byte sectors that those touch
  std::map<unsigned, std::uint64_t> bank_conflicts_at;     ///< by PTX line
  std::map<std::string, std::uint64_t> bank_conflicts_of;  ///< by Launch::shared_parts
};

struct Report {
  std::vector<Fault> faults;  ///< in the order found; equal ones are one entry
  Counts counts;
  bool completed = false;  ///< every thread ran to its end
  bool clean() const { return completed && faults.empty(); }
};

std::string to_string(const Report&);

}  // namespace sinter::emulator
