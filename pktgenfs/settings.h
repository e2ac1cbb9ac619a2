// DeviceSettings: what the commands of one pktgen device have set, in pktgen's own types and with
// its defaults: a number that does not fit is cut as there. Plain data; Files guards it.
// Source: linux net/core/pktgen.c, struct pktgen_dev, pktgen_add_device().
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pktgen/generator.h"
#include "pktgenfs/backend.h"

namespace qdiscsim::pktgenfs {

// Bits of the flags, in the order in which they are printed.
enum class Flag : std::uint8_t {
  kIpv6,
  kIpSourceRandom,
  kIpDestinationRandom,
  kSizeRandom,
  kUdpSourceRandom,
  kUdpDestinationRandom,
  kUdpChecksum,
  kNoTimestamp,
  kMplsRandom,
  kQueueMapRandom,
  kQueueMapCpu,
  kFlowSequence,
  kIpsec,
  kMacSourceRandom,
  kMacDestinationRandom,
  kVlanRandom,
  kSvlanRandom,
  kNode,
  kShared,
};

constexpr std::uint32_t bit(Flag flag) noexcept {
  return 1U << static_cast<unsigned>(flag);
}

struct ImixEntry {
  std::uint64_t size;    // bytes, at least 42
  std::uint64_t weight;  // at least 1
};

struct DeviceSettings {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();  // delay
  static constexpr std::uint32_t kLeastSize = PacketTemplate::kHeaders;
  static constexpr std::uint32_t kMostFlows = 65536;
  static constexpr std::size_t kMostImix = Traffic::kMostImix;
  static constexpr std::size_t kMostLabels = qdiscsim::kMostLabels;
  static constexpr std::uint32_t kMostFrags = 17;

  bool has(Flag flag) const noexcept { return (flags & bit(flag)) != 0; }

  std::uint64_t count = 1000;      // 0: forever
  std::uint64_t delay = 0;         // ns between two sends
  std::uint32_t min_pkt_size = 0;  // bytes without FCS; 0: chosen at the start
  std::uint32_t max_pkt_size = 0;
  std::vector<ImixEntry> imix;
  std::uint32_t frags = 0;
  std::uint32_t clone_skb = 0;
  std::uint32_t burst = 1;
  TransmitMode mode = TransmitMode::kStartXmit;
  std::uint32_t flags = 0;

  std::uint32_t flows = 0;
  std::uint32_t flow_length = 0;
  std::uint16_t queue_map_min = 0;
  std::uint16_t queue_map_max = 0;
  std::uint32_t skb_priority = 0;
  std::uint8_t tos = 0;
  std::uint8_t traffic_class = 0;
  std::int32_t node = -1;  // memory node; -1: any. Shown, without effect
  std::uint32_t spi = 0;   // IPsec. Shown, without effect

  // Addresses as they were written: they are understood when a run starts.
  std::string dst_min;
  std::string dst_max;
  std::string src_min;
  std::string src_max;
  Ipv6Address dst6{};
  Ipv6Address dst6_min{};
  Ipv6Address dst6_max{};
  Ipv6Address src6{};
  Ipv6Address src6_min{};  // no command sets these two
  Ipv6Address src6_max{};
  MacAddress dst_mac{};
  MacAddress src_mac{};  // all zero: the interface's
  std::uint32_t src_mac_count = 0;
  std::uint32_t dst_mac_count = 0;
  std::uint16_t udp_src_min = 9;
  std::uint16_t udp_src_max = 9;
  std::uint16_t udp_dst_min = 9;
  std::uint16_t udp_dst_max = 9;

  VlanTag vlan;
  VlanTag svlan;
  std::vector<std::uint32_t> mpls;  // label stack entries, host byte order
};

// The current values that a device's file shows: of the run, or what a command put there.
struct CurrentPacket {
  std::uint32_t size = 0;
  std::uint32_t source = 0;  // IPv4, host byte order
  std::uint32_t destination = 0;
  Ipv6Address source6{};
  Ipv6Address destination6{};
  std::uint16_t udp_source = 0;
  std::uint16_t udp_destination = 0;
  std::uint16_t queue = 0;
  std::uint32_t source_mac_offset = 0;
  std::uint32_t destination_mac_offset = 0;
};

}  // namespace qdiscsim::pktgenfs
