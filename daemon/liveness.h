// Liveness: whether the workers still move, so that systemd's watchdog is fed only while they do.
// Pure; the control thread only.
//
// A generator counts as stuck when it runs, should have sent at least ten packets since the last
// look, and none of its counters moved. A slow rate is therefore never taken for a hang; a full
// queue neither, since refused packets count as errors or offers. With the gaps of a capture it is
// stuck when it is more than a second late and does not move. At rest all is well.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "daemon/snapshot.h"

namespace qdiscsim {

class Liveness {
 public:
  // False when a generator is stuck; stuck() then names it. The first look is always true.
  bool look(const Snapshot& snapshot);
  const std::string& stuck() const noexcept { return stuck_; }

 private:
  Nanoseconds last_at_ = 0;
  std::map<std::string, std::uint64_t> moves_;  // by generator thread: sum of its counters
  std::string stuck_;
};

}  // namespace qdiscsim
