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

}  // namespace

std::uint64_t required_pages(const Config& config) {
  std::uint64_t pages = 0;
  for (const GeneratorGroup& group : config.generators) pages += group.threads * kPagesPerThread;
  if (!config.pktgen.control_fs.empty()) {
    pages += std::max(config.pktgen.threads, 1U) * kPagesPerThread;
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
    // A writer of the control files may send to any device, in any mode.
    const bool controlled = !config.pktgen.control_fs.empty();
    if (!controlled && !any(false)) continue;
    const std::uint64_t bands = controlled || any(true) ? 3ULL * device.tx_queue_len : 0;
    pages += device.queues * (bands + link_packets(device.link) + kPagesInMotion);
  }
  return pages;
}

std::uint64_t mib_of(std::uint64_t pages) {
  constexpr std::uint64_t kPagesPerMib = (1ULL << 20U) / kPageBytes;
  return (pages + kPagesPerMib - 1) / kPagesPerMib;
}

}  // namespace qdiscsim::config
