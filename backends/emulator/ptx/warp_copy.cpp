// Asynchronous copies of a warp: nothing arrives before it must.

#include <algorithm>
#include <bit>

#include "backends/emulator/ptx/lanes.h"
#include "backends/emulator/ptx/warp_access.h"

namespace sinter::emulator::ptx {

void Warp::copy_async(const Instruction& i, LaneMask active) {
  const MemoryOperation& to = module_.memory[i.detail];
  const MemoryOperation& from = module_.memory[i.immediate];
  const bool checks = block_.state().launch.checks;
  const auto* sizes = lanes_of<std::uint32_t>(registers_, i.source[2]);
  if (checks) check_defined(i, i.source[2], active, "the size of a copy");
  std::array<AsyncCopy, Lanes> copies{};
  LaneMask ready = 0;
  resolve(i, to, active, to.width, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    count_access(i, view, places, lanes, to.width);
    for_each_lane(lanes, [&](unsigned lane) {
      AsyncCopy& copy = copies[lane];
      copy = {lane, groups_[lane], offset[lane], nullptr, 0, sizes[lane], to.width, 0, 0};
      if (copy.bytes > copy.size) {
        fault(FaultKind::InvalidOperand, i, lane,
              "copies " + std::to_string(copy.bytes) + " bytes into " + std::to_string(copy.size));
        copy.bytes = copy.size;
      }
      ready |= LaneMask{1} << lane;
      if (!checks) return;
      Record made{
          clock_.warp(),       clock_.now(), static_cast<std::uint32_t>(&i - module_.code.data()),
          LaneMask{1} << lane, true,         false,
          Scope::Block,        false};
      RaceTable& table = races_of(*view.allocation);
      copy.write_record = table.add(made);
      if (const auto conflict =
              table.write(clock_, copy.write_record, lane, offset[lane], to.width, false)) {
        race(i, view, offset[lane], to.width, lane, true, *conflict);
      }
      table.record(copy.write_record).pending = true;
    });
  });
  // Where nothing is read, the address may be anything.
  LaneMask reads = 0;
  for_each_lane(ready, [&](unsigned lane) {
    if (copies[lane].bytes) reads |= LaneMask{1} << lane;
  });
  LaneMask found = 0;
  resolve(i, from, reads, from.width, [&](const View& view, LaneMask lanes, const Places& places) {
    const Addresses& offset = places.offset;
    count_access(i, view, places, lanes, from.width);
    found |= lanes;
    for_each_lane(lanes, [&](unsigned lane) {
      AsyncCopy& copy = copies[lane];
      copy.from = view.allocation;
      copy.from_offset = offset[lane];
      if (!checks) return;
      Record made{
          clock_.warp(),       clock_.now(), static_cast<std::uint32_t>(&i - module_.code.data()),
          LaneMask{1} << lane, false,        false,
          Scope::Block,        false};
      RaceTable& table = races_of(*view.allocation);
      copy.read_record = table.add(made);
      if (const auto conflict =
              table.read(clock_, copy.read_record, lane, offset[lane], from.width)) {
        race(i, view, offset[lane], from.width, lane, false, *conflict);
      }
      table.record(copy.read_record).pending = true;
    });
  });
  for_each_lane(ready, [&](unsigned lane) {
    if (!(found >> lane & 1)) copies[lane].bytes = 0;
    copies_.push_back(copies[lane]);
  });
}

void Warp::copy_commit(LaneMask active) {
  for_each_lane(active, [&](unsigned lane) { ++groups_[lane]; });
  // Some data arrive early; who reads them without waiting is wrong all the same.
  if (block_.state().random.below(4) == 0) {
    for (AsyncCopy& copy : copies_) {
      if (block_.state().random.below(2) == 0) finish_copy(copy);
    }
  }
}

void Warp::copy_wait(const Instruction& i, LaneMask active) {
  const bool all = i.immediate != 0;
  std::erase_if(copies_, [&](AsyncCopy& copy) {
    if (!(active >> copy.lane & 1)) return false;
    if (!all && copy.group + i.detail >= groups_[copy.lane]) return false;
    finish_copy(copy);
    if (block_.state().launch.checks) {
      const auto done = [&](Record& record) {
        record.pending = false;
        record.clock = clock_.now();
      };
      done(races_of(block_.shared()).record(copy.write_record));
      if (copy.from) done(races_of(*copy.from).record(copy.read_record));
    }
    return true;
  });
}

void Warp::finish_copy(AsyncCopy& copy) {
  if (copy.arrived) return;
  copy.arrived = true;
  std::byte* to = block_.shared().bytes.data() + copy.to;
  std::uint8_t* shadow = block_.shared().undefined.data() + copy.to;
  std::memset(to, 0, copy.size);
  std::memset(shadow, 0, copy.size);
  if (!copy.bytes) return;
  std::memcpy(to, copy.from->bytes.data() + copy.from_offset, copy.bytes);
  std::memcpy(shadow, copy.from->undefined.data() + copy.from_offset, copy.bytes);
}

}  // namespace sinter::emulator::ptx
