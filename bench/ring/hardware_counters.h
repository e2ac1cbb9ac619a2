// Cycles, instructions, branches and branch misses of this process and of every thread it starts
// while they count, in user space only, through perf_event_open(2). Many virtual machines have no
// such counters, and kernel.perf_event_paranoid above 2 forbids them: then why() says so.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "bench/ring/compare.h"

namespace qdiscsim::ring_bench {

// Of one thread, the one that makes, starts and stops it; threads that it starts count once they
// have ended.
class HardwareCounters {
 public:
  HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  bool available() const noexcept { return why_.empty(); }
  // Why not, as part of a sentence; empty when available.
  const std::string& why() const noexcept { return why_; }

  void start() noexcept;
  // What was counted since start(), scaled up when the counters had to be shared out. Nothing when
  // not available, or when they never got a turn.
  std::optional<Counts> stop() noexcept;

 private:
  static constexpr std::size_t kEvents = 4;
  std::array<int, kEvents> fds_{-1, -1, -1, -1};
  std::string why_;
};

// The reason for an errno of perf_event_open, in words.
std::string counters_missing_because(int error);

}  // namespace qdiscsim::ring_bench
