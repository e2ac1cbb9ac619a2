// Links that are set up and down, and queues that are stalled, while everything runs.
#include <algorithm>

#include "daemon/engine.h"

namespace qdiscsim {

ReloadOutcome Engine::set_up(const std::string& device, bool up) {
  NetDevice<Smp>& wanted = *entry(device).device;
  if (wanted.up() == up) return {true, {}};
  if (up) {
    wanted.activate();
    return {true, {device + ": down -> up"}};
  }
  const auto grace = [](void* engine) { static_cast<Engine*>(engine)->grace_period(); };
  wanted.deactivate(control_, grace, this);
  return {true, {device + ": up -> down"}};
}

// The completion thread looks for its end.
ReloadOutcome Engine::stall(const std::string& device, std::uint16_t queue,
                            std::chrono::milliseconds time) {
  DeviceEntry& wanted = entry(device);
  if (!wanted.device->up()) {
    return {false, {device + ": is down, so that nothing could be stalled; set it up first"}};
  }
  wanted.stalls->begin(queue, Smp::now(), static_cast<Nanoseconds>(time.count()) * kMillisecond);
  return {true,
          {device + " queue " + std::to_string(queue) + ": stalled for " +
           std::to_string(time.count()) + " ms"}};
}

// A qdisc over several tx queues shows the sums, and the queue that has been stalled the longest.
// A stalled queue is as stuck as one that nobody looks after, though no bug: only QueueWatch calls
// something one.
void Engine::read_stalls(const DeviceEntry& entry, Nanoseconds now, QueueSnapshot& out) {
  const std::uint32_t qdiscs = entry.device->qdisc_count();
  const std::uint32_t first = qdiscs == 1 ? 0 : out.index;
  const std::uint32_t last = qdiscs == 1 ? entry.device->queue_count() : first + 1;
  Nanoseconds longest = 0;
  Nanoseconds total = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    const auto stalls = entry.stalls->read(static_cast<std::uint16_t>(i), now);
    out.stalls += stalls.begun;
    total += stalls.total;
    longest = std::max(longest, stalls.running);
  }
  out.stalled_seconds = static_cast<double>(total) / 1e9;
  std::uint64_t waiting = out.requeue_backlog_packets;
  for (const BandSnapshot& band : out.bands) waiting += band.backlog_packets;
  if (waiting == 0 || longest < QueueWatch<Smp>::kStuckAfter) return;
  out.stuck_seconds = std::max(out.stuck_seconds, static_cast<double>(longest) / 1e9);
}

}  // namespace qdiscsim
