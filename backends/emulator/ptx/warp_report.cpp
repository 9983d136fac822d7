// What a warp says about a fault: where, and who else.

#include <bit>
#include <cstdio>

#include "backends/emulator/ptx/warp.h"

namespace sinter::emulator::ptx {

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

Fault Warp::make_fault(FaultKind kind, const Instruction& instruction, unsigned lane,
                       std::string text) const {
  Fault result;
  result.kind = kind;
  result.block = block_.index();
  result.thread = block_.thread(number_ * Lanes + lane);
  result.line = instruction.line;
  const auto number = static_cast<std::uint32_t>(&instruction - module_.code.data());
  if (const Function* function = module_.function_at(number)) result.function = function->name;
  const Location& at = module_.locations[instruction.location];
  if (at.line) {
    const std::string& file = at.file < module_.files.size() ? module_.files[at.file] : "";
    result.source = file + ":" + std::to_string(at.line);
    if (!at.function.empty()) result.source += " in " + at.function;
  }
  result.text = std::move(text);
  return result;
}

void Warp::fault(FaultKind kind, const Instruction& instruction, unsigned lane, std::string text,
                 std::uint64_t partner) {
  block_.state().faults.add(make_fault(kind, instruction, lane, std::move(text)), partner);
}

Fault Warp::fault_here(FaultKind kind, std::string text) const {
  if (fragments_.empty()) {
    Fault result;
    result.kind = kind;
    result.text = std::move(text);
    return result;
  }
  const Fragment& f = fragments_.front();
  return make_fault(kind, module_.code[f.pc], static_cast<unsigned>(std::countr_zero(f.mask)),
                    std::move(text));
}

std::string Warp::place_of(std::uint32_t number) const {
  const Instruction& instruction = module_.code[number];
  std::string result = "PTX line " + std::to_string(instruction.line);
  const Location& at = module_.locations[instruction.location];
  if (at.line && at.file < module_.files.size()) {
    result += " (" + module_.files[at.file] + ":" + std::to_string(at.line) + ")";
  }
  return result;
}

std::vector<std::string> Warp::describe_waits() const {
  std::vector<std::string> result;
  const Dim3 b = block_.index();
  for (const Fragment& f : fragments_) {
    std::string text = "block (" + std::to_string(b.x) + "," + std::to_string(b.y) + "," +
                       std::to_string(b.z) + ") warp " + std::to_string(number_) + " lanes " +
                       hex(f.mask) + " ";
    switch (f.wait) {
      case Wait::None:
        text += "runs";
        break;
      case Wait::Members:
        text += "waits for the other lanes of a *.sync instruction";
        break;
      case Wait::Aligned:
        text += "waits for its warp before a barrier";
        break;
      case Wait::Barrier: {
        const Barrier& barrier = block_.barrier(f.barrier);
        text += "waits at barrier " + std::to_string(f.barrier) + ", where " +
                std::to_string(barrier.arrived) + " of " +
                std::to_string(barrier.expected ? barrier.expected : block_.running_threads()) +
                " threads arrived,";
        break;
      }
    }
    result.push_back(text + " at " + place_of(f.pc));
  }
  return result;
}

std::string Warp::describe(const Conflict& conflict) const {
  const Record& other = conflict.record;
  const std::uint32_t block = other.warp / block_.state().warps_per_block;
  const std::uint32_t warp = other.warp % block_.state().warps_per_block;
  std::string who = "warp " + std::to_string(warp);
  if (block != block_.number()) who += " of block " + std::to_string(block);
  if (conflict.lane < Lanes) {
    const Dim3 t = block_.thread(warp * Lanes + conflict.lane);
    who = "thread (" + std::to_string(t.x) + "," + std::to_string(t.y) + "," + std::to_string(t.z) +
          ")" + (block != block_.number() ? " of block " + std::to_string(block) : "");
  }
  return std::string(other.pending ? "the asynchronous copy"
                     : other.write ? "the write"
                                   : "the read") +
         " by " + who + " at " + place_of(other.instruction);
}

const SharedPart* Warp::shared_part(std::uint64_t offset) const {
  for (const SharedPart& part : block_.state().launch.shared_parts) {
    const std::uint64_t begin = kernel_.shared_end + part.offset;
    if (begin <= offset && offset < begin + part.bytes) return &part;
  }
  return nullptr;
}

std::string Warp::describe_place(const View& view, std::uint64_t offset) const {
  std::string name = view.allocation->name;
  if (const SharedPart* part = view.shared ? shared_part(offset) : nullptr) {
    name = part->name;
    offset -= kernel_.shared_end + part->offset;
  } else if (view.shared) {
    for (const SharedVariable& variable : kernel_.shared) {
      if (offset >= variable.offset &&
          (variable.size == 0 || offset < variable.offset + variable.size)) {
        name = variable.name;
        offset -= variable.offset;
        break;
      }
    }
  }
  return "offset " + std::to_string(offset) + " of '" + name + "'";
}

void Warp::race(const Instruction& i, const View& view, std::uint64_t offset, unsigned bytes,
                unsigned lane, bool write, const Conflict& conflict) {
  const bool read_only = i.kind == Kind::Load && module_.memory[i.detail].read_only;
  const FaultKind kind = view.shared ? FaultKind::SharedRace : FaultKind::GlobalRace;
  if (block_.state().faults.knows(kind, i.line, conflict.record.instruction + 1)) return;
  std::string text = std::string(write ? "writes" : "reads") + " " + std::to_string(bytes) +
                     " bytes at " + describe_place(view, offset) + ", unordered with " +
                     describe(conflict);
  if (conflict.record.pending) {
    text += ": nobody has waited for it";
  } else if (conflict.record.read_only || read_only) {
    text += ": ld.global.nc may only read what no one writes in the launch";
  } else if (conflict.record.warp == clock_.warp()) {
    text += ": lanes of one warp need bar.warp.sync between them";
  } else if (conflict.record.strong) {
    text += ": that one is atomic, this one is not or is out of its scope";
  }
  fault(kind, i, lane, std::move(text), conflict.record.instruction + 1);
}

}  // namespace sinter::emulator::ptx
