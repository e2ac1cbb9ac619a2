// PacketTemplate: the bytes of a packet: Ethernet, IPv4, UDP and pktgen's 16-byte payload header.
//
// The constant bytes are prepared once; write() copies them and fills in sequence, time, IP id and
// the checksums. Everything behind the payload header is zero: packet pages start zeroed and
// nothing else is ever written there. Source: linux net/core/pktgen.c, struct pktgen_hdr {magic,
// seq, seconds, microseconds}, big-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
  void write(std::byte* to, std::uint32_t sequence, Nanoseconds wall_ns) noexcept;

  // Bytes of the packet as sent: the size asked for, but never less than kBytes.
  std::uint32_t length() const noexcept { return length_; }

 private:
  alignas(64) std::array<std::byte, 64> bytes_{};
  std::uint32_t ip_sum_ = 0;   // sum of the IP header's words, id and checksum left out
  std::uint32_t udp_sum_ = 0;  // pseudo header and UDP header
  std::uint32_t size_ = 0;
  std::uint32_t length_ = kBytes;
  std::uint16_t ip_id_ = 0;
  bool udp_checksum_;
};

}  // namespace qdiscsim
