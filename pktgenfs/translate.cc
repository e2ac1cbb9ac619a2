#include "pktgenfs/translate.h"

#include <algorithm>

#include "pktgen/packet_memory.h"
#include "pktgen/packet_template.h"
#include "pktgenfs/addresses.h"

namespace qdiscsim::pktgenfs {
namespace {

// As pktgen adds the count's number to what src_mac set, of the interface's address only the first
// byte is left then.
MacAddress source_mac(const DeviceSettings& s, const Interface& interface) {
  if (s.src_mac != MacAddress{}) return s.src_mac;
  if (s.src_mac_count > 1) return {interface.mac[0]};
  return interface.mac;
}

FrameOptions frame_of(const DeviceSettings& s, const CurrentPacket& current,
                      const Interface& interface) {
  FrameOptions frame;
  frame.source_mac = source_mac(s, interface);
  frame.destination_mac = s.dst_mac;
  frame.vlan = s.vlan;
  frame.svlan = s.svlan;
  frame.vlan_random = s.has(Flag::kVlanRandom);
  frame.svlan_random = s.has(Flag::kSvlanRandom);
  frame.mpls = s.mpls;
  frame.mpls_random = s.has(Flag::kMplsRandom);
  frame.ipv6 = s.has(Flag::kIpv6);
  frame.traffic_class = s.traffic_class;
  frame.source6 = current.source6;
  frame.destination6 = current.destination6;
  frame.destination6_random = s.dst6_min != Ipv6Address{};
  frame.destination6_least = s.dst6_min;
  frame.destination6_most = s.dst6_max;
  return frame;
}

ValueRange mac_range(std::uint32_t count, bool random) {
  return {0, std::max(count, 1U) - 1, random ? Step::kRandom : Step::kSequence};
}

// What pktgen adds to the address of the next packet; at random, it does not count.
std::uint32_t next_offset(std::uint32_t offset, const ValueRange& range) {
  return range.step == Step::kRandom || offset >= range.max ? 0 : offset + 1;
}

Ipv6Address destination6_of(const PacketFields& packet) {
  Ipv6Address address{};
  const auto& first = packet.frame.destination6;
  auto* const last = std::copy(first.begin(), first.end(), address.begin());
  for (unsigned i = 0; i < 4; ++i) {
    last[i] = static_cast<std::uint8_t>(packet.destination >> (24 - 8 * i));
  }
  return address;
}

// The shortest packet: all its headers, pktgen's own in the payload included.
std::uint32_t least_bytes(const DeviceSettings& s) {
  return PacketTemplate::least_bytes(frame_of(s, {}, {}));
}

std::uint32_t sendable(std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kMaxPacketBytes));
}

void set_addresses(TrafficOptions& traffic, const DeviceSettings& s, const CurrentPacket& current,
                   const Interface& interface) {
  if (s.has(Flag::kIpv6)) {
    // No ranges, and the flow table keeps no IPv6 address.
    const std::uint32_t source = last_word(current.source6);
    const std::uint32_t destination = last_word(current.destination6);
    traffic.source = pktgen_range(source, source, false);
    traffic.destination = pktgen_range(destination, destination, false);
    return;
  }
  if (s.src_min.empty()) {
    traffic.source = pktgen_range(interface.ipv4, interface.ipv4, false);
  } else {
    traffic.source =
        pktgen_range(ipv4_of(s.src_min), ipv4_of(s.src_max), s.has(Flag::kIpSourceRandom));
  }
  traffic.destination =
      pktgen_range(ipv4_of(s.dst_min), ipv4_of(s.dst_max), s.has(Flag::kIpDestinationRandom));
  traffic.flows = s.flows;
}

TrafficOptions traffic_of(const DeviceSettings& s, const CurrentPacket& current,
                          const Interface& interface, std::uint32_t thread) {
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
  traffic.frame = frame_of(s, current, interface);
  traffic.source_mac = mac_range(s.src_mac_count, s.has(Flag::kMacSourceRandom));
  traffic.destination_mac = mac_range(s.dst_mac_count, s.has(Flag::kMacDestinationRandom));
  set_addresses(traffic, s, current, interface);
  traffic.udp_source = pktgen_ports(s.udp_src_min, s.udp_src_max, s.has(Flag::kUdpSourceRandom));
  traffic.udp_destination =
      pktgen_ports(s.udp_dst_min, s.udp_dst_max, s.has(Flag::kUdpDestinationRandom));
  traffic.flow_length = s.flow_length;
  traffic.flow_order =
      s.has(Flag::kFlowSequence) ? FlowOrder::kPktgenSequence : FlowOrder::kPktgenRandom;
  if (s.has(Flag::kQueueMapCpu)) {
    const std::uint32_t queue = thread % interface.tx_queues;
    traffic.queue = {queue, queue};
  } else {
    traffic.queue = pktgen_queues(s.queue_map_min, s.queue_map_max, s.has(Flag::kQueueMapRandom));
    traffic.queue.before = current.queue;
  }
  traffic.timestamp = !s.has(Flag::kNoTimestamp);
  traffic.udp_checksum = s.has(Flag::kUdpChecksum);
  // Kept in the settings and shown, but not in the simulated packet: fragments, node, spi.
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

void begin_run(CurrentPacket& current, const DeviceSettings& s, const Interface& interface) {
  current.size = sendable(s.min_pkt_size);
  current.udp_source = s.udp_src_min;
  current.udp_destination = s.udp_dst_min;
  current.source_mac_offset = current.destination_mac_offset = 0;
  if (s.has(Flag::kIpv6)) {
    if (current.source6 == Ipv6Address{}) current.source6 = interface.link_local;
    return;
  }
  current.source = s.src_min.empty() ? interface.ipv4 : ipv4_of(s.src_min);
  current.destination = ipv4_of(s.dst_min);
}

GeneratorSettings generator_settings(const DeviceSettings& s, const CurrentPacket& current,
                                     const Interface& interface, const Rules& rules,
                                     std::uint32_t thread, std::uint64_t seed) {
  GeneratorSettings settings;
  settings.traffic = traffic_of(s, current, interface, thread);
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

void take_over(const PacketFields& packet, const TrafficOptions& run, CurrentPacket& current,
               DeviceSettings& s) {
  current.size = packet.size;
  current.udp_source = packet.udp_source;
  current.udp_destination = packet.udp_destination;
  current.queue = packet.queue;
  current.source_mac_offset = next_offset(packet.frame.source_mac, run.source_mac);
  current.destination_mac_offset = next_offset(packet.frame.destination_mac, run.destination_mac);
  const FrameOptions& frame = run.frame;
  if (frame.vlan.on() && frame.vlan_random && s.vlan.on()) s.vlan.id = packet.frame.vlan_id;
  if (frame.svlan.on() && frame.svlan_random && s.svlan.on()) s.svlan.id = packet.frame.svlan_id;
  for (std::size_t i = 0; frame.mpls_random && i < std::min(frame.mpls.size(), s.mpls.size());
       ++i) {
    if ((frame.mpls[i] & s.mpls[i] & kBottomOfStack) != 0) s.mpls[i] = packet.frame.mpls[i];
  }
  if (!frame.ipv6) {
    current.source = packet.source;
    current.destination = packet.destination;
  } else if (frame.destination6_random) {
    current.destination6 = destination6_of(packet);
  }
}

std::int32_t frags_of(const DeviceSettings& s, std::uint32_t size) {
  const std::uint32_t data = least_bytes(s);
  // As an int: what does not fit one is negative there, and means none.
  if (static_cast<std::int32_t>(s.frags) <= 0 || size <= data) return 0;
  return static_cast<std::int32_t>(std::min(s.frags, DeviceSettings::kMostFrags));
}

}  // namespace qdiscsim::pktgenfs
