#include "pktgenfs/translate.h"

#include <algorithm>

#include "pktgen/packet_memory.h"
#include "pktgen/packet_template.h"
#include "pktgenfs/addresses.h"

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::uint32_t kIpv6 = 40;
constexpr std::uint32_t kTag = 4;  // a VLAN tag or an MPLS label

std::uint32_t tag_bytes(const DeviceSettings& s) {
  return static_cast<std::uint32_t>(s.mpls.size()) * kTag + (s.vlan.on() ? kTag : 0) +
         (s.svlan.on() ? kTag : 0);
}

// The shortest packet: all its headers, pktgen's own in the payload included.
std::uint32_t least_bytes(const DeviceSettings& s) {
  constexpr auto kPlain = static_cast<std::uint32_t>(PacketTemplate::kBytes);
  constexpr auto kIpv4 = static_cast<std::uint32_t>(PacketTemplate::kIp);
  return kPlain + (s.has(Flag::kIpv6) ? kIpv6 - kIpv4 : 0) + tag_bytes(s);
}

std::uint32_t sendable(std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kMaxPacketBytes));
}

TrafficOptions traffic_of(const DeviceSettings& s, const Interface& interface,
                          std::uint32_t thread) {
  TrafficOptions traffic;
  traffic.size =
      pktgen_range(sendable(s.min_pkt_size), sendable(s.max_pkt_size), s.has(Flag::kSizeRandom));
  if (s.min_pkt_size >= s.max_pkt_size) {
    for (const ImixEntry& entry : s.imix) {
      // Ten digits of weight do not fit; only its share of the sum matters.
      const auto weight = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(entry.weight, UINT32_MAX / DeviceSettings::kMostImix));
      traffic.imix.push_back({sendable(entry.size), weight});
    }
  }
  traffic.priority = {{s.skb_priority, 1}};
  traffic.tos = s.tos;
  if (s.src_min.empty()) {
    traffic.source = pktgen_range(interface.ipv4, interface.ipv4, false);
  } else {
    traffic.source =
        pktgen_range(ipv4_of(s.src_min), ipv4_of(s.src_max), s.has(Flag::kIpSourceRandom));
  }
  traffic.destination =
      pktgen_range(ipv4_of(s.dst_min), ipv4_of(s.dst_max), s.has(Flag::kIpDestinationRandom));
  traffic.udp_source = pktgen_ports(s.udp_src_min, s.udp_src_max, s.has(Flag::kUdpSourceRandom));
  traffic.udp_destination =
      pktgen_ports(s.udp_dst_min, s.udp_dst_max, s.has(Flag::kUdpDestinationRandom));
  traffic.flows = s.flows;
  traffic.flow_length = s.flow_length;
  traffic.flow_order =
      s.has(Flag::kFlowSequence) ? FlowOrder::kPktgenSequence : FlowOrder::kPktgenRandom;
  if (s.has(Flag::kQueueMapCpu)) {
    const std::uint32_t queue = thread % interface.tx_queues;
    traffic.queue = {queue, queue};
  } else {
    traffic.queue = pktgen_queues(s.queue_map_min, s.queue_map_max, s.has(Flag::kQueueMapRandom));
  }
  traffic.timestamp = !s.has(Flag::kNoTimestamp);
  traffic.udp_checksum = s.has(Flag::kUdpChecksum);
  // Kept in the settings and shown, but not in the simulated packet: IPv6, VLAN and MPLS tags, MAC
  // addresses and their counts, traffic_class, fragments, node, spi.
  return traffic;
}

}  // namespace

void settle(DeviceSettings& s, const Interface& interface) {
  const auto last_queue = static_cast<std::uint16_t>(std::max(interface.tx_queues, 1U) - 1);
  s.queue_map_min = std::min(s.queue_map_min, last_queue);
  s.queue_map_max = std::min(s.queue_map_max, last_queue);
  if (s.min_pkt_size == 0) s.min_pkt_size = least_bytes(s);
  s.max_pkt_size = std::max(s.max_pkt_size, s.min_pkt_size);
}

GeneratorSettings generator_settings(const DeviceSettings& s, const Interface& interface,
                                     const Rules& rules, std::uint32_t thread, std::uint64_t seed) {
  GeneratorSettings settings;
  settings.traffic = traffic_of(s, interface, thread);
  settings.traffic.seed = seed;
  settings.mode = s.mode;
  settings.count = s.count;
  settings.period = Pacer::delay(s.delay == DeviceSettings::kNever ? Pacer::kNever : s.delay);
  settings.burst = s.burst;
  settings.clone_skb = s.clone_skb;
  settings.as_pktgen = true;
  settings.shared = !rules.shared_flag || s.has(Flag::kShared);
  return settings;
}

std::int32_t frags_of(const DeviceSettings& s, std::uint32_t size) {
  const std::uint32_t data = least_bytes(s);
  // As an int: what does not fit one is negative there, and means none.
  if (static_cast<std::int32_t>(s.frags) <= 0 || size <= data) return 0;
  return static_cast<std::int32_t>(std::min(s.frags, DeviceSettings::kMostFrags));
}

}  // namespace qdiscsim::pktgenfs
