#include "pktgen/packet_template.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace qdiscsim {
namespace {

constexpr std::size_t kIpAt = PacketTemplate::kEthernet;
constexpr std::size_t kUdpAt = kIpAt + PacketTemplate::kIp;
constexpr std::size_t kPayloadAt = PacketTemplate::kHeaders;

void put16(std::byte* at, std::uint32_t value) noexcept {
  at[0] = static_cast<std::byte>(value >> 8U);
  at[1] = static_cast<std::byte>(value);
}

std::uint32_t big32(std::uint32_t value) noexcept {
  return std::endian::native == std::endian::little ? __builtin_bswap32(value) : value;
}

void put32(std::byte* at, std::uint32_t value) noexcept {
  const std::uint32_t big = big32(value);
  std::memcpy(at, &big, sizeof big);
}

std::uint32_t words(const std::byte* at, std::size_t bytes) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += 2) {
    sum +=
        (std::to_integer<std::uint32_t>(at[i]) << 8U) | std::to_integer<std::uint32_t>(at[i + 1]);
  }
  return sum;
}

std::uint32_t halves(std::uint32_t value) noexcept {
  return (value >> 16U) + (value & 0xffffU);
}

// One's complement of the one's complement sum (RFC 1071).
std::uint32_t fold(std::uint32_t sum) noexcept {
  sum = halves(sum);
  sum = halves(sum);
  return ~sum & 0xffffU;
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

void PacketTemplate::write(std::byte* to, std::uint32_t sequence, Nanoseconds wall_ns) noexcept {
  std::memcpy(to, bytes_.data(), bytes_.size());
  const std::uint16_t id = ip_id_++;
  put16(to + kIpAt + 4, id);
  put16(to + kIpAt + 10, fold(ip_sum_ + id));
  std::byte* payload = to + kPayloadAt;
  put32(payload + 4, sequence);
  const std::uint64_t us = wall_ns / kMicrosecond;
  const std::uint32_t seconds = static_cast<std::uint32_t>(us / 1'000'000);
  const std::uint32_t microseconds = static_cast<std::uint32_t>(us % 1'000'000);
  put32(payload + 8, seconds);
  put32(payload + 12, microseconds);
  if (udp_checksum_) {
    const std::uint32_t sum =
        udp_sum_ + halves(kMagic) + halves(sequence) + halves(seconds) + halves(microseconds);
    const std::uint32_t checksum = fold(sum);
    put16(to + kUdpAt + 6, checksum == 0 ? 0xffffU : checksum);
  }
}

}  // namespace qdiscsim
