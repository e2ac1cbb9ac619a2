// How Generator goes through a trace (generator.h). Include generator.h, not this file.
#pragma once

#include <algorithm>

#include "pktgen/generator.h"

namespace qdiscsim {

// The schedule moves on to the packet that comes next. Behind the last one it stays.
template <class Smp>
void Generator<Smp>::follow_trace() noexcept {
  const Replay& replay = program_->traffic.replay();
  if (!replay.ended()) pacer_.follow(replay_start_ + replay.due());
}

// At most kMaxList: what is left of the count and, of a trace, what is there and due.
template <class Smp>
std::uint64_t Generator<Smp>::list_length() const noexcept {
  std::uint64_t wanted = std::min<std::uint64_t>(settings().enqueue_burst, kMaxList);
  const Replay& replay = program_->traffic.replay();
  if (settings().count != 0) {
    wanted = replay.left(std::min(wanted, settings().count - sofar()));
  }
  if (replay.timed()) [[unlikely]]
    wanted = replay.due_by(Smp::now() - replay_start_, wanted);
  return wanted;
}

}  // namespace qdiscsim
