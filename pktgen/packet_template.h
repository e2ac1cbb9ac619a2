// PacketTemplate: the bytes of a packet: Ethernet, tags, IPv4 or IPv6, UDP and pktgen's 16-byte
// payload header.
//
// The constant bytes are prepared once; write() copies them and fills in sequence, time, IP id and
// the checksums. Everything behind the payload header is zero: packet pages start zeroed, each page
// knows how far it was written, and whoever writes less than that clears the rest.
// Source: linux net/core/pktgen.c, fill_packet_ipv4(), fill_packet_ipv6(); struct pktgen_hdr
// {magic, seq, seconds, microseconds}, big-endian.
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
  static constexpr std::size_t kIpv6 = 40;
  static constexpr std::size_t kUdp = 8;
  static constexpr std::size_t kHeaders = kEthernet + kIp + kUdp;
  static constexpr std::size_t kPayloadHeader = 16;
  static constexpr std::size_t kBytes = kHeaders + kPayloadHeader;  // 58: the shortest real packet
  // What write() writes of a packet without tags over IPv4, and at most.
  static constexpr std::uint16_t kPlain = 64;
  static constexpr std::uint16_t kMost = 192;

  // Bytes of all headers together, the one in the payload included: no packet is shorter.
  static std::uint32_t least_bytes(const FrameOptions& frame) noexcept {
    return static_cast<std::uint32_t>(kBytes + (frame.ipv6 ? kIpv6 - kIp : 0) + frame.tag_bytes());
  }

  // tos (IPv4), udp_checksum and the frame are fixed; everything else comes with the fields.
  PacketTemplate(std::uint8_t tos, bool udp_checksum, const FrameOptions& frame = {});

  // The IPv4 TOS byte or the IPv6 traffic class. Before set_fields().
  void set_tos(std::uint8_t tos) noexcept;

  // Rebuilds what follows from addresses, ports, size and the fields of the frame.
  void set_fields(const PacketFields& fields) noexcept;

  // Writes the headers at `to`, which has room for kMost. written: how far the packet that was here
  // before may have left bytes other than zero, at least kPlain; then, how far this one may.
  // wall_ns: time since 1970 for the payload header, 0 = no timestamp.
  void write(std::byte* to, std::uint16_t& written, std::uint32_t sequence,
             Nanoseconds wall_ns) noexcept {
    // One test for all: tags, IPv6, a UDP checksum, or remains of another packet.
    if (written != plain_) [[unlikely]] {
      write_any(to, written, sequence, wall_ns);
      return;
    }
    std::memcpy(to, bytes_.data(), kPlain);
    fill_ipv4(to + kEthernet);
    put32(to + kHeaders + 4, sequence);
    if (wall_ns != 0) fill_time(to + kHeaders, wall_ns);
  }

  // Bytes of the packet as sent: the size asked for, but never less than its headers.
  std::uint32_t length() const noexcept { return length_; }

 private:
  void write_any(std::byte* to, std::uint16_t& written, std::uint32_t sequence,
                 Nanoseconds wall_ns) noexcept;
  void lay_out() noexcept;
  void set_mac(std::size_t at, std::uint64_t base, std::uint32_t offset) noexcept;
  void set_tags(const FrameFields& fields) noexcept;
  void set_ipv4(const PacketFields& fields) noexcept;
  void set_ipv6(const PacketFields& fields) noexcept;

  void fill_ipv4(std::byte* ip) noexcept {
    const std::uint16_t id = ip_id_++;
    put16(ip + 4, id);
    put16(ip + 10, fold(ip_sum_ + id));
  }
  static void fill_time(std::byte* payload, Nanoseconds wall_ns) noexcept {
    put32(payload + 8, static_cast<std::uint32_t>(wall_ns / kSecond));
    put32(payload + 12, static_cast<std::uint32_t>(wall_ns % kSecond / kMicrosecond));
  }

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

  alignas(64) std::array<std::byte, kMost> bytes_{};
  std::uint32_t ip_sum_ = 0;   // sum of the IPv4 header's words, id and checksum left out
  std::uint32_t udp_sum_ = 0;  // pseudo header and UDP header
  std::uint32_t length_ = kBytes;
  std::uint16_t ip_id_ = 0;
  // kPlain: IPv4 without tags and UDP checksum; else 0, which `written` never is.
  std::uint16_t plain_ = 0;
  bool udp_checksum_;
  std::uint16_t extent_ = 0;  // what is written, in whole cache lines
  std::uint16_t ip_at_ = 0;
  std::uint16_t udp_at_ = 0;
  std::uint16_t payload_at_ = 0;
  std::uint64_t source_mac_;
  std::uint64_t destination_mac_;
  FrameOptions frame_;
};

}  // namespace qdiscsim
