// What one run of ring_bench is told, and what it answers. Plain values; every mode takes what
// concerns it and ignores the rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace qdiscsim::ring_bench {

// Ranges are checked where they are parsed (options.cc); a run may rely on them.
struct Params {
  std::uint64_t count = 2'000'000;  // -N: items (buffers, packets) in all, over all producers
  std::size_t size = 1024;          // -s: capacity of the ring
  unsigned producers = 2;           // threads that produce; workers of `stress`; pktgen threads
  std::size_t burst = 1;            // items a produce call, 1..kMaxBurst
  std::size_t pop = 32;             // items a consume call takes at most, 1..kMaxBurst
  std::vector<int> cpus;            // empty: unpinned; else thread i runs on cpus[i % cpus.size()],
                                    // the consumer (or the only thread) being thread 0
  std::uint64_t seed = 1;
  Nanoseconds time_limit = 60 * kSecond;  // a run that is not done by then ends with an error
  const std::atomic<bool>* interrupt = nullptr;  // true: the run ends soon and does not count

  // ringtest
  std::size_t outstanding = 0;  // buffers that the guest may have under way; 0: as many as -s
  bool sleep = false;           // an idle side sleeps until the other notifies; else it polls

  // ringtest (batch), virtio_test and vhost_net
  std::size_t batch = 1;          // buffers per kick; 0: a random number each time
  bool delayed = false;           // ask for interrupts late
  bool event_index = true;        // else notifications by flag
  bool notify_always = false;     // the host turns notifications on and off on every cycle
  std::uint64_t reset_every = 0;  // buffers between resets of the ring, 0 = never
};

inline constexpr std::size_t kMaxBurst = 256;

struct Outcome {
  std::uint64_t items = 0;        // that went all the way
  double seconds = 0;             // from the common start to the last item; no set-up, no joining
  Nanoseconds longest_stall = 0;  // longest time without an item reaching the consumer; 0: not kept
  // Further figures of the mode, in the order to print: {"dropped Mpps", 0.33}.
  std::vector<std::pair<std::string, double>> figures;
  std::string error;  // not empty: a check failed (order, loss, time limit); the figures are void

  double mega_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(items) / seconds / 1e6 : 0;
  }
};

}  // namespace qdiscsim::ring_bench
