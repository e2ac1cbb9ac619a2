#include "daemon/pcap_packet.h"

#include <pcap/dlt.h>

#include <algorithm>

namespace qdiscsim {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint64_t kEthernetHeader = 14;
constexpr std::uint32_t kIpv4 = 0x0800;
constexpr std::uint32_t kIpv6 = 0x86dd;

std::optional<std::uint32_t> word(Bytes bytes, std::size_t at) noexcept {
  if (bytes.size() < at + 2) return std::nullopt;
  return static_cast<std::uint32_t>(bytes[at] << 8U | bytes[at + 1]);
}

// 802.1Q, 802.1ad and what stood for it before.
bool is_tag(std::uint32_t type) noexcept {
  return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

// The address family of BSD's loopback header, in the byte order of whoever captured.
std::uint32_t protocol_of_family(std::uint8_t family) noexcept {
  constexpr std::uint8_t kInet = 2;
  constexpr std::uint8_t kInet6[] = {10, 24, 28, 30};  // Linux, NetBSD, FreeBSD, Darwin
  if (family == kInet) return kIpv4;
  return std::find(std::begin(kInet6), std::end(kInet6), family) != std::end(kInet6) ? kIpv6 : 0;
}

}  // namespace

std::optional<LinkLayer> LinkLayer::of(int dlt) {
  switch (dlt) {
    case DLT_EN10MB:
      return LinkLayer{Kind::kEthernet, kEthernetHeader};
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
      return LinkLayer{Kind::kRaw, 0};
    case DLT_LINUX_SLL:
      return LinkLayer{Kind::kCooked, 16};
    case DLT_LINUX_SLL2:
      return LinkLayer{Kind::kCooked2, 20};
    case DLT_NULL:
    case DLT_LOOP:
      return LinkLayer{Kind::kFamily, 4};
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> LinkLayer::protocol(Bytes bytes) const noexcept {
  switch (kind_) {
    case Kind::kEthernet:
      return word(bytes, 12);
    case Kind::kCooked:
      return word(bytes, 14);
    case Kind::kCooked2:
      return word(bytes, 0);
    case Kind::kRaw:
      if (bytes.empty()) return std::nullopt;
      return bytes[0] >> 4U == 4 ? kIpv4 : bytes[0] >> 4U == 6 ? kIpv6 : 0;
    case Kind::kFamily:
      break;
  }
  if (bytes.size() < header_) return std::nullopt;
  return protocol_of_family(bytes[0] != 0 ? bytes[0] : bytes[3]);
}

CapturedPacket LinkLayer::look(Bytes bytes, std::uint32_t length) const noexcept {
  CapturedPacket packet{length - std::min<std::uint64_t>(header_, length) + kEthernetHeader, 0};
  // Bytes that are missing were cut off, unless the packet never had them.
  const auto missing = [&] {
    packet.cut = bytes.size() < length;
    return packet;
  };
  std::size_t at = header_;
  std::optional<std::uint32_t> type = protocol(bytes);
  for (; type && is_tag(*type); at += 4) type = word(bytes, at + 2);
  if (!type) return missing();
  if (*type != kIpv4 && *type != kIpv6) return packet;
  const std::optional<std::uint32_t> first = word(bytes, at);
  if (!first) return missing();
  const std::uint32_t version = *first >> 12U;
  if (*type == kIpv4 && version == 4) packet.tos = static_cast<std::uint8_t>(*first);
  if (*type == kIpv6 && version == 6) packet.tos = static_cast<std::uint8_t>(*first >> 4U);
  return packet;
}

}  // namespace qdiscsim
