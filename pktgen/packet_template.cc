#include "pktgen/packet_template.h"

#include <algorithm>

namespace qdiscsim {
namespace {

std::uint32_t words(const std::byte* at, std::size_t bytes) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += 2) {
    sum +=
        (std::to_integer<std::uint32_t>(at[i]) << 8U) | std::to_integer<std::uint32_t>(at[i + 1]);
  }
  return sum;
}

}  // namespace

PacketTemplate::PacketTemplate(std::uint8_t tos, bool udp_checksum) noexcept
    : udp_checksum_{udp_checksum} {
  // Locally administered addresses: these packets never leave the process.
  constexpr std::array<std::uint8_t, kEthernet> kMac{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0};
  std::memcpy(bytes_.data(), kMac.data(), kMac.size());
  std::byte* ip = bytes_.data() + kIpAt;
  ip[0] = std::byte{0x45};
  ip[1] = std::byte{tos};
  ip[8] = std::byte{32};  // TTL
  ip[9] = std::byte{17};  // UDP
  put32(bytes_.data() + kPayloadAt, kMagic);
}

void PacketTemplate::set_fields(const PacketFields& fields) noexcept {
  size_ = fields.size;
  length_ = std::max<std::uint32_t>(fields.size, kBytes);
  std::byte* ip = bytes_.data() + kIpAt;
  std::byte* udp = bytes_.data() + kUdpAt;
  const std::uint32_t ip_length = length_ - static_cast<std::uint32_t>(kEthernet);
  const std::uint32_t udp_length = ip_length - static_cast<std::uint32_t>(kIp);
  put16(ip + 2, ip_length);
  put16(ip + 4, 0);
  put16(ip + 10, 0);
  put32(ip + 12, fields.source);
  put32(ip + 16, fields.destination);
  ip_sum_ = words(ip, kIp);
  put16(udp, fields.udp_source);
  put16(udp + 2, fields.udp_destination);
  put16(udp + 4, udp_length);
  put16(udp + 6, 0);
  udp_sum_ = words(ip + 12, 8) + 17 + udp_length + words(udp, 6);
}

}  // namespace qdiscsim
