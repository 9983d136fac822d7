#pragma once
// Collects faults: equal ones are one entry with a count, and enough different ones end a launch.

#include <map>
#include <tuple>
#include <vector>

#include "backends/emulator/report.h"

namespace sinter::emulator {

class FaultLog {
 public:
  explicit FaultLog(unsigned limit) : limit_(limit) {}

  /// `partner`: what else makes two faults different, such as the other instruction of a race.
  /// True when the fault is new.
  bool add(Fault fault, std::uint64_t partner = 0) {
    const auto [at, is_new] = known_.try_emplace({fault.kind, fault.line, partner}, faults_.size());
    if (!is_new) {
      ++faults_[at->second].repeats;
      return false;
    }
    faults_.push_back(std::move(fault));
    if (faults_.size() >= limit_) stop_ = true;
    return true;
  }
  /// True when the text for such a fault would not be used.
  bool knows(FaultKind kind, unsigned line, std::uint64_t partner) {
    const auto at = known_.find({kind, line, partner});
    if (at == known_.end()) return false;
    ++faults_[at->second].repeats;
    return true;
  }
  void stop() { stop_ = true; }
  bool stopped() const { return stop_; }
  std::vector<Fault> take() { return std::move(faults_); }

 private:
  unsigned limit_;
  bool stop_ = false;
  std::vector<Fault> faults_;
  std::map<std::tuple<FaultKind, unsigned, std::uint64_t>, std::size_t> known_;
};

}  // namespace sinter::emulator
