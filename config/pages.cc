#include "config/pages.h"

#include <algorithm>

namespace qdiscsim::config {
namespace {

// Packets that a link holds for one queue. A guest's buffers hold copies.
std::uint64_t link_packets(const Link& link) {
  constexpr std::uint64_t kBatch = 64;
  switch (link.kind) {
    case LinkKind::kDummy:
    case LinkKind::kTap:
      return 0;
    case LinkKind::kWire:
      return link.ring_size;
    case LinkKind::kVhostNet:
      return link.tun_ring + (link.consume == Consume::kBatched ? kBatch : 1);
  }
  return 0;
}

// Packets that can wait on a device, with what is on its way through it.
std::uint64_t device_packets(const Device& device, bool through_qdisc) {
  const std::uint64_t bands = through_qdisc ? 3ULL * device.tx_queue_len : 0;
  return device.queues * (bands + link_packets(device.link) + kPagesInMotion);
}

// A writer of the control files may send to any device, in any mode.
bool controlled(const Config& config) {
  return !config.pktgen.control_fs.empty();
}

// Jobs of the control files that are counted.
std::uint64_t counted_jobs(const Config& config) {
  return controlled(config) ? std::max(config.pktgen.threads, 1U) : 0;
}

std::uint64_t ring_entries(const PagePool& pool) {
  constexpr std::uint64_t kDefault = 1024;
  constexpr std::uint64_t kMost = 16'384;
  return pool.size == 0 ? kDefault : std::min<std::uint64_t>(pool.size, kMost);
}

std::uint64_t can_rest(const GeneratorGroup& group, const Config& config) {
  const Device* const device = find_device(config, group.device);
  if (device == nullptr || group.xmit_mode == XmitMode::kNetifReceive) return 0;
  return std::min(ring_entries(group.page_pool),
                  device_packets(*device, group.xmit_mode == XmitMode::kQueueXmit));
}

std::uint64_t can_rest_of_job(const Config& config) {
  std::uint64_t waiting = 0;
  for (const Device& device : config.devices) {
    waiting = std::max(waiting, device_packets(device, true));
  }
  return std::min(ring_entries({}), waiting);
}

}  // namespace

std::uint64_t required_pages(const Config& config) {
  std::uint64_t pages = counted_jobs(config) * kPagesPerThread;
  for (const GeneratorGroup& group : config.generators) {
    const std::uint64_t leaked = group.leak.every != 0 ? group.leak.at_most : 0;
    pages += group.threads * (kPagesPerThread + leaked);
  }
  for (const Device& device : config.devices) {
    const auto sends = [&](const GeneratorGroup& group, bool through_qdisc) {
      return group.device == device.name && group.xmit_mode != XmitMode::kNetifReceive &&
             (!through_qdisc || group.xmit_mode == XmitMode::kQueueXmit);
    };
    const auto any = [&](bool through_qdisc) {
      return std::any_of(config.generators.begin(), config.generators.end(),
                         [&](const GeneratorGroup& group) { return sends(group, through_qdisc); });
    };
    if (!controlled(config) && !any(false)) continue;
    pages += device_packets(device, controlled(config) || any(true));
  }
  return pages;
}

std::uint64_t held_pages(const Config& config) {
  std::uint64_t pages = required_pages(config) + counted_jobs(config) * can_rest_of_job(config);
  for (const GeneratorGroup& group : config.generators) {
    pages += group.threads * can_rest(group, config);
  }
  return pages;
}

std::uint64_t arena_pages(const Config& config) {
  if (config.memory.limit_bytes != 0) return config.memory.limit_bytes / kPageBytes;
  // Whole MiB, as a person would write it.
  constexpr std::uint64_t kMib = 1ULL << 20U;
  return std::clamp(mib_of(held_pages(config)) * kMib, kLeastByDefault, kMostByDefault) /
         kPageBytes;
}

std::string scarce_memory(const Config& config, std::uint64_t pages) {
  const std::uint64_t held = held_pages(config);
  if (held <= pages) return {};
  return "memory.limit: pages that rest in the rings of some page_pools can leave none for the "
         "other generators, which then count no_memory: " +
         std::to_string(pages) + " pages of " + std::to_string(held) +
         " that can be held; set memory.limit to " + std::to_string(mib_of(held)) +
         "MiB or more, or lower generators[].page_pool.size";
}

std::uint64_t mib_of(std::uint64_t pages) {
  constexpr std::uint64_t kPagesPerMib = (1ULL << 20U) / kPageBytes;
  return (pages + kPagesPerMib - 1) / kPagesPerMib;
}

}  // namespace qdiscsim::config
