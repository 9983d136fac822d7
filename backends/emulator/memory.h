#pragma once
// Global memory of an emulated device: allocations far apart in a 64-bit address space, with one
// shadow byte a byte that says which of its bits nobody wrote. Freed ranges are never used again.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/emulator/report.h"

namespace sinter::emulator {

class RaceTable;

/// A range of bytes with its shadow. Also used for shared memory.
class Allocation {
 public:
  Allocation(std::uint64_t address, std::uint64_t bytes, std::string name);
  ~Allocation();

  std::uint64_t address;
  std::uint64_t size;
  std::string name;
  bool live = true;
  bool read_only = false;
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> undefined;  ///< a set bit was never written
  std::unique_ptr<RaceTable> races;     ///< made at first need, by launch

  /// Who stored undefined bits here, by offset; for the report when the host reads them.
  std::map<std::uint64_t, Fault> origins;
};

class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// A new address, 256-byte aligned; its bytes are undefined until written.
  std::uint64_t allocate(std::uint64_t bytes, std::string name);
  /// Throws std::invalid_argument unless `address` came from allocate and is live.
  void free(std::uint64_t address);

  /// The host's access; throws std::out_of_range where the range leaves an allocation.
  void write(std::uint64_t address, std::span<const std::byte>);
  /// Reading bytes that no one defined is a fault, blamed on the store that brought them there.
  [[nodiscard]] std::vector<Fault> read(std::uint64_t address, std::span<std::byte>) const;

  /// The live allocation that holds `address`, or null.
  Allocation* find(std::uint64_t address) const;
  /// "4 bytes past the end of 'output' (4096 bytes)": for an address that find() refuses.
  std::string describe_outside(std::uint64_t address) const;

  /// Variables of a module, allocated once per memory. `module` is kept alive.
  std::map<std::string, std::uint64_t>& variables_of(const std::shared_ptr<const void>& module);

  const std::map<std::uint64_t, std::unique_ptr<Allocation>>& allocations() const {
    return allocations_;
  }

 private:
  std::map<std::uint64_t, std::unique_ptr<Allocation>> allocations_;  ///< freed ones too, empty
  std::map<std::shared_ptr<const void>, std::map<std::string, std::uint64_t>> variables_;
  std::uint64_t next_;
};

}  // namespace sinter::emulator
