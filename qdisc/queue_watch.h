// QueueWatch: notices, from outside, what a transmit path can do wrong without anybody failing.
//
// Two things, each told in one line for the log:
//  - the watchdog of the kernel (dev_watchdog() in net/sched/sch_generic.c): a tx queue that its
//    driver or the byte limit stopped and that nobody has woken for kTimeout. Looked for once a
//    kTimeout, and then for the first such queue of the device only.
//  - a stuck queue: packets wait, the tx queue runs, nobody drains and nobody is scheduled to, for
//    kStuckAfter, and no packet has left meanwhile. A correct run protocol never comes to that
//    (run_state.h); a lost wake-up does. Told once an incident: until a packet leaves.
//
// Threads: look() from one, stuck_for() from any. The device outlives it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "qdisc/device.h"

namespace qdiscsim {

template <class Smp>
class QueueWatch {
 public:
  static constexpr Nanoseconds kTimeout = 5 * kSecond;  // the kernel's watchdog_timeo default
  static constexpr Nanoseconds kStuckAfter = kSecond;

  // name: the device's, for the lines. cpu: the number of the CPU that looks.
  QueueWatch(NetDevice<Smp>& device, std::string name, CpuId cpu)
      : device_{device},
        name_{std::move(name)},
        cpu_{cpu},
        incidents_{std::make_unique<Incident[]>(device.qdisc_count())} {}

  // bugs: those that the queue was given on purpose; the line about a stuck queue names them. More
  // often than once a kStuckAfter; the lines to log, mostly none.
  std::vector<std::string> look(Nanoseconds now, const std::string& bugs) {
    std::vector<std::string> lines;
    if (next_watchdog_ == 0) next_watchdog_ = now + kTimeout;
    if (now >= next_watchdog_) {
      next_watchdog_ = now + kTimeout;
      if (const auto queue = device_.watchdog(now, kTimeout)) lines.push_back(timeout(*queue, now));
    }
    for (std::uint32_t i = 0; i < device_.qdisc_count(); ++i) {
      const QueueAttention seen = device_.attention(i);
      Incident& incident = incidents_[i];
      if (seen.attended || seen.waiting == 0 || seen.left != incident.left) {
        incident.left = seen.left;
        incident.told = false;
        incident.since.store(0, smp::relaxed);
        if (seen.attended || seen.waiting == 0) continue;
        incident.since.store(now, smp::relaxed);
      } else if (incident.since.load(smp::relaxed) == 0) {
        incident.since.store(now, smp::relaxed);
      }
      if (incident.told || stuck_for(i, now) == 0) continue;
      incident.told = true;
      lines.push_back(stuck(i, seen.waiting, stuck_for(i, now), bugs));
    }
    return lines;
  }

  // How long qdisc `index` has been stuck; 0 while it is not, or not for kStuckAfter.
  Nanoseconds stuck_for(std::uint32_t index, Nanoseconds now) const noexcept {
    const Nanoseconds since = incidents_[index].since.load(smp::relaxed);
    return since != 0 && now >= since + kStuckAfter ? now - since : 0;
  }

 private:
  struct Incident {
    typename Smp::template atomic<Nanoseconds> since{};  // 0: none
    std::uint64_t left = 0;
    bool told = false;
  };

  std::string timeout(std::uint16_t queue, Nanoseconds now) const {
    const Nanoseconds since = now - device_.tx_queue(queue).trans_start();
    return name_ + ": NETDEV WATCHDOG: CPU: " + std::to_string(cpu_) + ": transmit queue " +
           std::to_string(queue) + " timed out " + std::to_string(since / kMillisecond) + " ms";
  }

  std::string stuck(std::uint32_t index, std::uint64_t waiting, Nanoseconds age,
                    const std::string& bugs) const {
    return name_ + " queue " + std::to_string(index) + " is stuck: " + std::to_string(waiting) +
           (waiting == 1 ? " packet has" : " packets have") + " waited for " +
           std::to_string(age / kSecond) + '.' + std::to_string(age % kSecond / (kSecond / 10)) +
           " s, though its tx queue runs, and nobody is going to send them; a packet that is "
           "enqueued there gets it going, a change of tx_queue_len discards what waits; " +
           (bugs.empty() ? "no kernel_bugs are set: please report this as a bug in qdiscsim"
                         : "kernel_bugs has " + bugs + ", remove it and reload");
  }

  NetDevice<Smp>& device_;
  std::string name_;
  CpuId cpu_;
  std::unique_ptr<Incident[]> incidents_;  // by qdisc
  Nanoseconds next_watchdog_ = 0;
};

}  // namespace qdiscsim
