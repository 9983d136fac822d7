#include "backends/emulator/vector_clock.h"

#include <algorithm>

namespace sinter::emulator {

std::uint32_t VectorClock::find(std::uint64_t key) const {
  const auto at = std::lower_bound(far_.begin(), far_.end(), key,
                                   [](const Entry& e, std::uint64_t k) { return e.key < k; });
  return at != far_.end() && at->key == key ? at->clock : 0;
}

void VectorClock::raise(std::uint64_t key, std::uint32_t clock) {
  const auto at = std::lower_bound(far_.begin(), far_.end(), key,
                                   [](const Entry& e, std::uint64_t k) { return e.key < k; });
  if (at != far_.end() && at->key == key) {
    at->clock = std::max(at->clock, clock);
  } else {
    far_.insert(at, {key, clock});
  }
}

void VectorClock::set(WarpId warp, std::uint32_t clock) {
  const std::uint32_t index = warp - first_;
  if (index < near_.size()) {
    near_[index] = std::max(near_[index], clock);
  } else {
    raise(key(warp, SeveralLanes), clock);
  }
}

void VectorClock::set_lane(WarpId warp, unsigned lane, std::uint32_t clock) {
  if (!knows_warp(warp, clock)) raise(key(warp, lane), clock);
}

void VectorClock::join(const VectorClock& other) {
  if (other.near_.size() == near_.size() && other.first_ == first_) {
    for (std::size_t i = 0; i < near_.size(); ++i) near_[i] = std::max(near_[i], other.near_[i]);
  } else {
    for (std::size_t i = 0; i < other.near_.size(); ++i) {
      if (other.near_[i]) set(other.first_ + static_cast<WarpId>(i), other.near_[i]);
    }
  }
  if (other.far_.empty()) return;
  std::vector<Entry> merged;
  merged.reserve(far_.size() + other.far_.size());
  auto a = far_.begin();
  for (const Entry& b : other.far_) {
    const WarpId warp = static_cast<WarpId>(b.key / (Lanes + 1));
    if (warp - first_ < near_.size()) {
      if (b.key % (Lanes + 1) == SeveralLanes) {
        set(warp, b.clock);
        continue;
      }
      if (near_[warp - first_] >= b.clock) continue;
    }
    while (a != far_.end() && a->key < b.key) merged.push_back(*a++);
    if (a != far_.end() && a->key == b.key) {
      merged.push_back({b.key, std::max(a->clock, b.clock)});
      ++a;
    } else {
      merged.push_back(b);
    }
  }
  merged.insert(merged.end(), a, far_.end());
  // Entries of lanes that the whole warp's entry has overtaken go.
  std::erase_if(merged, [&](const Entry& e) {
    const WarpId warp = static_cast<WarpId>(e.key / (Lanes + 1));
    return warp - first_ < near_.size() && near_[warp - first_] >= e.clock;
  });
  far_ = std::move(merged);
}

bool VectorClock::knows(const Record& record, unsigned lane) const {
  if (knows_warp(record.warp, record.clock)) return true;
  if (far_.empty()) return false;
  if (lane != SeveralLanes) return find(key(record.warp, lane)) >= record.clock;
  bool all = true;
  for_each_lane(record.lanes,
                [&](unsigned l) { all = all && find(key(record.warp, l)) >= record.clock; });
  return all;
}

bool WarpClock::ordered(const Record& record, unsigned record_lane, unsigned lane,
                        LaneMask lanes) const {
  if (record.pending) return false;
  if (record.warp == warp_ && record_lane == lane && lane < Lanes) return true;  // program order
  if (base_.knows(record, record_lane)) return true;
  if (lane < Lanes) lanes = LaneMask{1} << lane;
  if (lanes & ~knowing_) return false;
  bool all = true;
  for_each_lane(lanes,
                [&](unsigned l) { all = all && states_[l]->known.knows(record, record_lane); });
  return all;
}

WarpClock::LaneState& WarpClock::state_of(unsigned lane) {
  if (!states_[lane]) states_[lane] = std::make_unique<LaneState>();
  special_ |= 1u << lane;
  return *states_[lane];
}

void WarpClock::synchronise(LaneMask mask) {
  if (mask == lanes_) {
    for_each_lane(special_, [&](unsigned lane) {
      base_.join(states_[lane]->known);
      states_[lane]->known = {};
    });
    knowing_ = 0;
    base_.set(warp_, now_);
    ++now_;
    return;
  }
  learn(mask, publish(mask));
}

VectorClock WarpClock::publish(LaneMask mask) {
  VectorClock result = base_;
  for_each_lane(mask & special_, [&](unsigned lane) { result.join(states_[lane]->known); });
  if (mask == lanes_) {
    result.set(warp_, now_);
  } else {
    for_each_lane(mask, [&](unsigned lane) { result.set_lane(warp_, lane, now_); });
  }
  ++now_;
  return result;
}

void WarpClock::learn(LaneMask mask, const VectorClock& news) {
  if (mask == lanes_) {
    // A barrier of all lanes: the news include what single ones knew.
    for_each_lane(knowing_, [&](unsigned lane) { states_[lane]->known = {}; });
    knowing_ = 0;
    base_.join(news);
    return;
  }
  knowing_ |= mask;
  for_each_lane(mask, [&](unsigned lane) { state_of(lane).known.join(news); });
}

void WarpClock::write(SyncVariable& variable, unsigned lane, bool release, Scope scope, bool keep) {
  if (!keep) variable.clear();
  if (!release && !((special_ >> lane & 1) && states_[lane]->fenced)) return;
  const Published news =
      release
          ? Published{scope, block_, std::make_shared<VectorClock>(publish(LaneMask{1} << lane))}
          : *states_[lane]->fenced;
  for (Published& old : variable) {
    if (old.scope == news.scope && old.block == news.block) {
      auto joined = std::make_shared<VectorClock>(*old.clock);
      joined->join(*news.clock);
      old.clock = std::move(joined);
      return;
    }
  }
  variable.push_back(news);
}

void WarpClock::read(const SyncVariable& variable, unsigned lane, bool acquire, Scope scope) {
  for (const Published& published : variable) {
    if (!acquire) {
      std::vector<Published>& seen = state_of(lane).seen;
      const bool known = std::any_of(seen.begin(), seen.end(), [&](const Published& old) {
        return old.clock == published.clock;  // a poll sees the same again and again
      });
      if (!known) seen.push_back(published);
    } else if (reaches(published.scope, published.block, scope, block_)) {
      learn(LaneMask{1} << lane, *published.clock);
    }
  }
}

void WarpClock::fence(LaneMask mask, Scope scope) {
  for_each_lane(mask & special_, [&](unsigned lane) {
    LaneState& state = *states_[lane];
    for (const Published& published : state.seen) {
      if (reaches(published.scope, published.block, scope, block_)) {
        state.known.join(*published.clock);
        knowing_ |= LaneMask{1} << lane;
      }
    }
    state.seen.clear();
  });
  // Each lane publishes its own past only: neighbours are covered by the barrier that precedes a
  // correct fence, and missed where it is missing.
  fenced_ = true;
  const std::uint32_t before = now_;
  for_each_lane(mask, [&](unsigned lane) {
    VectorClock known = base_;
    LaneState& state = state_of(lane);
    known.join(state.known);
    known.set_lane(warp_, lane, before);
    state.fenced = std::make_shared<Published>(
        Published{scope, block_, std::make_shared<VectorClock>(std::move(known))});
  });
  ++now_;
}

}  // namespace sinter::emulator
