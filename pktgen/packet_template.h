// PacketTemplate: the bytes of a packet: Ethernet, IPv4, UDP and pktgen's 16-byte payload header.
//
// The constant bytes are prepared once; write() copies them and fills in sequence, time, IP id and
// the checksums. Everything behind the payload header is zero: packet pages start zeroed and
// nothing else is ever written there. Source: linux net/core/pktgen.c, struct pktgen_hdr {magic,
// seq, seconds, microseconds}, big-endian.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/clock.h"
#include "pktgen/traffic.h"

namespace qdiscsim {

class PacketTemplate {
 public:
  static constexpr std::uint32_t kMagic = 0xbe9be955;
  static constexpr std::size_t kEthernet = 14;
  static constexpr std::size_t kIp = 20;
  static constexpr std::size_t kUdp = 8;
  static constexpr std::size_t kHeaders = kEthernet + kIp + kUdp;
  static constexpr std::size_t kPayloadHeader = 16;
  static constexpr std::size_t kBytes = kHeaders + kPayloadHeader;  // 58: the shortest real packet

  // tos and udp_checksum are fixed; everything else comes with the fields.
  PacketTemplate(std::uint8_t tos, bool udp_checksum) noexcept;

  // Rebuilds what follows from addresses, ports and size.
  void set_fields(const PacketFields& fields) noexcept;

  // Writes kBytes at `to`, which has room for 64. wall_ns: time since 1970 for the payload header,
  // 0 = no timestamp.
  void write(std::byte* to, std::uint32_t sequence, Nanoseconds wall_ns) noexcept {
    std::memcpy(to, bytes_.data(), bytes_.size());
    const std::uint16_t id = ip_id_++;
    put16(to + kIpAt + 4, id);
    put16(to + kIpAt + 10, fold(ip_sum_ + id));
    put32(to + kPayloadAt + 4, sequence);
    std::uint32_t seconds = 0;
    std::uint32_t microseconds = 0;
    if (wall_ns != 0) {
      seconds = static_cast<std::uint32_t>(wall_ns / kSecond);
      microseconds = static_cast<std::uint32_t>(wall_ns % kSecond / kMicrosecond);
      put32(to + kPayloadAt + 8, seconds);
      put32(to + kPayloadAt + 12, microseconds);
    }
    if (udp_checksum_) {
      const std::uint32_t sum =
          udp_sum_ + halves(kMagic) + halves(sequence) + halves(seconds) + halves(microseconds);
      const std::uint32_t checksum = fold(sum);
      put16(to + kUdpAt + 6, checksum == 0 ? 0xffffU : checksum);
    }
  }

  // Bytes of the packet as sent: the size asked for, but never less than kBytes.
  std::uint32_t length() const noexcept { return length_; }

 private:
  static constexpr std::size_t kIpAt = kEthernet;
  static constexpr std::size_t kUdpAt = kIpAt + kIp;
  static constexpr std::size_t kPayloadAt = kHeaders;

  static void put16(std::byte* at, std::uint32_t value) noexcept {
    at[0] = static_cast<std::byte>(value >> 8U);
    at[1] = static_cast<std::byte>(value);
  }
  static void put32(std::byte* at, std::uint32_t value) noexcept {
    if constexpr (std::endian::native == std::endian::little) value = __builtin_bswap32(value);
    std::memcpy(at, &value, sizeof value);
  }
  static std::uint32_t halves(std::uint32_t value) noexcept {
    return (value >> 16U) + (value & 0xffffU);
  }
  // One's complement of the one's complement sum (RFC 1071).
  static std::uint32_t fold(std::uint32_t sum) noexcept { return ~halves(halves(sum)) & 0xffffU; }

  alignas(64) std::array<std::byte, 64> bytes_{};
  std::uint32_t ip_sum_ = 0;   // sum of the IP header's words, id and checksum left out
  std::uint32_t udp_sum_ = 0;  // pseudo header and UDP header
  std::uint32_t size_ = 0;
  std::uint32_t length_ = kBytes;
  std::uint16_t ip_id_ = 0;
  bool udp_checksum_;
};

}  // namespace qdiscsim
