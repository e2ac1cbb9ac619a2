#include "pktgen/packet_template.h"

#include <algorithm>

namespace qdiscsim {
namespace {

constexpr std::size_t kEtherTypeAt = 12;
constexpr std::uint32_t kProtocolUdp = 17;
constexpr std::byte kHops{32};  // TTL or hop limit

std::uint32_t words(const std::byte* at, std::size_t bytes) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += 2) {
    sum +=
        (std::to_integer<std::uint32_t>(at[i]) << 8U) | std::to_integer<std::uint32_t>(at[i + 1]);
  }
  return sum;
}

std::uint64_t number_of(const MacAddress& mac) noexcept {
  std::uint64_t number = 0;
  for (const std::uint8_t byte : mac) number = number << 8U | byte;
  return number;
}

std::uint32_t tci(const VlanTag& tag, std::uint16_t id) noexcept {
  return static_cast<std::uint32_t>(tag.priority) << 13U |
         static_cast<std::uint32_t>(tag.cfi) << 12U | id;
}

}  // namespace

PacketTemplate::PacketTemplate(std::uint8_t tos, bool udp_checksum, const FrameOptions& frame)
    : udp_checksum_{udp_checksum},
      source_mac_{number_of(frame.source_mac)},
      destination_mac_{number_of(frame.destination_mac)},
      frame_{frame} {
  frame_.mpls.resize(std::min(frame_.mpls.size(), kMostLabels));
  if (!frame_.vlan.on()) frame_.svlan.id = VlanTag::kNone;
  lay_out();
  std::byte* ip = bytes_.data() + ip_at_;
  if (frame_.ipv6) {
    ip[6] = static_cast<std::byte>(kProtocolUdp);
    ip[7] = kHops;
    std::memcpy(ip + 8, frame_.source6.data(), frame_.source6.size());
  } else {
    ip[0] = std::byte{0x45};
    ip[8] = kHops;
    ip[9] = static_cast<std::byte>(kProtocolUdp);
  }
  set_tos(frame_.ipv6 ? frame_.traffic_class : tos);
  put32(bytes_.data() + payload_at_, kMagic);
}

void PacketTemplate::set_tos(std::uint8_t tos) noexcept {
  std::byte* ip = bytes_.data() + ip_at_;
  if (frame_.ipv6) {
    put32(ip, 0x60000000U | std::uint32_t{tos} << 20U);
  } else {
    ip[1] = std::byte{tos};
  }
}

// Where everything stands; the EtherTypes.
void PacketTemplate::lay_out() noexcept {
  std::size_t at = kEtherTypeAt;
  const auto type = [&](std::uint32_t value) { put16(bytes_.data() + at, value); };
  if (frame_.svlan.on()) {
    type(frame_.svlan_type);
    at += VlanTag::kBytes;
  }
  if (frame_.vlan.on()) {
    type(kEtherVlan);
    at += VlanTag::kBytes;
  }
  type(!frame_.mpls.empty() ? kEtherMpls : frame_.ipv6 ? kEtherIpv6 : kEtherIpv4);
  at += 2 + frame_.mpls.size() * kLabelBytes;
  ip_at_ = static_cast<std::uint16_t>(at);
  udp_at_ = static_cast<std::uint16_t>(at + (frame_.ipv6 ? kIpv6 : kIp));
  payload_at_ = static_cast<std::uint16_t>(udp_at_ + kUdp);
  const std::size_t end = payload_at_ + kPayloadHeader;
  extent_ = static_cast<std::uint16_t>((end + kPlain - 1) / kPlain * kPlain);
  plain_ = ip_at_ == kEthernet && !frame_.ipv6 && !udp_checksum_ ? kPlain : 0;
}

void PacketTemplate::set_fields(const PacketFields& fields) noexcept {
  length_ = std::max<std::uint32_t>(fields.size, payload_at_ + kPayloadHeader);
  set_mac(0, destination_mac_, fields.frame.destination_mac);
  set_mac(sizeof(MacAddress), source_mac_, fields.frame.source_mac);
  if (ip_at_ != kEthernet) set_tags(fields.frame);
  std::byte* udp = bytes_.data() + udp_at_;
  put16(udp, fields.udp_source);
  put16(udp + 2, fields.udp_destination);
  put16(udp + 4, length_ - udp_at_);
  if (frame_.ipv6) {
    set_ipv6(fields);
  } else {
    set_ipv4(fields);
  }
}

// The offset carries up to the second byte, as in pktgen.
void PacketTemplate::set_mac(std::size_t at, std::uint64_t base, std::uint32_t offset) noexcept {
  constexpr std::uint64_t kFirst = 0xffULL << 40U;
  const std::uint64_t mac = (base & kFirst) | ((base + offset) & ~kFirst);
  put16(bytes_.data() + at, static_cast<std::uint32_t>(mac >> 32U));
  put32(bytes_.data() + at + 2, static_cast<std::uint32_t>(mac));
}

void PacketTemplate::set_tags(const FrameFields& fields) noexcept {
  std::byte* at = bytes_.data() + kEtherTypeAt + 2;
  if (frame_.svlan.on()) {
    put16(at, tci(frame_.svlan, fields.svlan_id));
    at += VlanTag::kBytes;
  }
  if (frame_.vlan.on()) {
    put16(at, tci(frame_.vlan, fields.vlan_id));
    at += VlanTag::kBytes;
  }
  for (std::size_t i = 0; i < frame_.mpls.size(); ++i) {
    const bool last = i + 1 == frame_.mpls.size();
    put32(at, last ? fields.mpls[i] | kBottomOfStack : fields.mpls[i] & ~kBottomOfStack);
    at += kLabelBytes;
  }
}

void PacketTemplate::set_ipv4(const PacketFields& fields) noexcept {
  std::byte* ip = bytes_.data() + ip_at_;
  put16(ip + 2, length_ - ip_at_);
  put32(ip + 12, fields.source);
  put32(ip + 16, fields.destination);
  ip_sum_ = words(ip, kIp);
  udp_sum_ = words(ip + 12, 8) + kProtocolUdp + length_ - udp_at_ + words(ip + kIp, kUdp);
}

void PacketTemplate::set_ipv6(const PacketFields& fields) noexcept {
  constexpr std::size_t kAddresses = 8;
  constexpr std::size_t kAddress = 16;
  std::byte* ip = bytes_.data() + ip_at_;
  put16(ip + 4, length_ - udp_at_);
  put32(ip + kAddresses + kAddress - 4, fields.source);
  std::memcpy(ip + kAddresses + kAddress, fields.frame.destination6.data(),
              fields.frame.destination6.size());
  put32(ip + kAddresses + 2 * kAddress - 4, fields.destination);
  udp_sum_ = words(ip + kAddresses, 2 * kAddress) + kProtocolUdp + length_ - udp_at_ +
             words(ip + kIpv6, kUdp);
}

void PacketTemplate::write_any(std::byte* to, std::uint16_t& written, std::uint32_t sequence,
                               Nanoseconds wall_ns) noexcept {
  if (written > extent_) std::memset(to + extent_, 0, written - extent_);
  written = extent_;
  std::memcpy(to, bytes_.data(), extent_);
  if (!frame_.ipv6) fill_ipv4(to + ip_at_);
  std::byte* payload = to + payload_at_;
  put32(payload + 4, sequence);
  if (wall_ns != 0) fill_time(payload, wall_ns);
  if (!udp_checksum_) return;
  const std::uint32_t checksum = fold(udp_sum_ + words(payload, kPayloadHeader));
  put16(to + udp_at_ + 6, checksum == 0 ? 0xffffU : checksum);
}

}  // namespace qdiscsim
