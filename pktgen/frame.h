// What stands before the payload of a generator's packets, beside the addresses and ports of IPv4:
// MAC addresses, tags, labels, IPv6. FrameOptions hold for a whole run, FrameFields for one packet.
//
// Order in the packet: Ethernet addresses, service tag, VLAN tag, label stack, IP, UDP.
// Source: linux net/core/pktgen.c, fill_packet_ipv4(), fill_packet_ipv6(), mpls_push(),
// build_tci(), mod_cur_headers().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"

namespace qdiscsim {

using MacAddress = std::array<std::uint8_t, 6>;
using Ipv6Address = std::array<std::uint8_t, 16>;  // network byte order

enum EtherType : std::uint16_t {
  kEtherIpv4 = 0x0800,
  kEtherVlan = 0x8100,
  kEtherIpv6 = 0x86dd,
  kEtherMpls = 0x8847,
  kEtherServiceTag = 0x88a8,
};

// An IEEE 802.1Q or 802.1ad tag.
struct VlanTag {
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::uint32_t kIds = 4096;
  static constexpr std::size_t kBytes = 4;

  std::uint16_t id = kNone;  // 0 .. 4095
  std::uint8_t priority = 0;
  std::uint8_t cfi = 0;  // of a service tag: DEI

  bool on() const noexcept { return id != kNone; }
};

// Entries of an MPLS label stack, host byte order: label 20 bits, traffic class 3, bottom of stack
// 1, TTL 8. The bit for the bottom goes to the last entry, whatever stands in the others.
inline constexpr std::uint32_t kBottomOfStack = 0x100;
inline constexpr std::size_t kMostLabels = 16;
inline constexpr std::size_t kLabelBytes = 4;

constexpr std::uint32_t last_word(const Ipv6Address& address) noexcept {
  std::uint32_t word = 0;
  for (std::size_t i = 12; i < address.size(); ++i) word = word << 8U | address[i];
  return word;
}

struct FrameOptions {
  MacAddress source_mac{2, 0, 0, 0, 0, 1};  // locally administered: they never leave the process
  MacAddress destination_mac{2, 0, 0, 0, 0, 2};
  VlanTag vlan;
  VlanTag svlan;  // outside vlan; of no effect without it
  // pktgen puts two 802.1Q tags one behind the other; a provider's outer tag is kEtherServiceTag.
  std::uint16_t svlan_type = kEtherVlan;
  bool vlan_random = false;         // any id with each packet, when the tag is on
  bool svlan_random = false;        // the same
  std::vector<std::uint32_t> mpls;  // at most kMostLabels
  // Draws the low 20 bits of every entry that has kBottomOfStack set here; its others become 0.
  bool mpls_random = false;

  bool ipv6 = false;
  // IPv6. Of the addresses the last four bytes come from TrafficOptions' ranges.
  std::uint8_t traffic_class = 0;
  Ipv6Address source6{};
  Ipv6Address destination6{};
  // The destination is (anything | least) & most with each packet, as pktgen's dst6_min, dst6_max.
  bool destination6_random = false;
  Ipv6Address destination6_least{};
  Ipv6Address destination6_most{};

  // Whether something is drawn anew with each packet.
  bool draws() const noexcept;

  // Bytes of tags and labels.
  std::size_t tag_bytes() const noexcept {
    const std::size_t tags = vlan.on() ? (svlan.on() ? 2 : 1) : 0;
    return tags * VlanTag::kBytes + mpls.size() * kLabelBytes;
  }
};

// What of it differs from packet to packet.
struct FrameFields {
  // Added to the last five bytes of the address; the first byte stays.
  std::uint32_t source_mac = 0;
  std::uint32_t destination_mac = 0;
  std::uint16_t vlan_id = 0;
  std::uint16_t svlan_id = 0;
  std::array<std::uint32_t, kMostLabels> mpls{};
  std::array<std::uint8_t, 12> destination6{};  // without the last four bytes

  // Of the first packet, before anything was drawn.
  static FrameFields first_of(const FrameOptions& frame) noexcept;
  // What draws() speaks of, whatever the packet's flow. destination6_last: the destination's last
  // four bytes, host byte order.
  void draw(const FrameOptions& frame, std::uint32_t& destination6_last, Prng& prng) noexcept;
};

}  // namespace qdiscsim
