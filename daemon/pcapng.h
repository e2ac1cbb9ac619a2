// pcapng: the blocks of a capture file that tcpdump and Wireshark read, appended to a buffer.
//
// Little-endian on every machine, Ethernet, nanoseconds since 1970. A section begins with
// section_header(); then one interface_description() for each interface, numbered from 0 in their
// order; then packets; statistics anywhere behind, at best at the end.
// Source: draft-ietf-opsawg-pcapng. (libpcap writes neither comments nor interface names.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace qdiscsim::pcapng {

using Bytes = std::vector<std::byte>;

// How every file begins.
inline constexpr std::array kMagic{std::byte{0x0a}, std::byte{0x0d}, std::byte{0x0d},
                                   std::byte{0x0a}};

struct Interface {
  std::string_view name;
  std::string_view description;
  std::uint32_t snaplen = 0;  // bytes of a packet at most; 0 = no limit
};

struct Packet {
  std::uint32_t interface = 0;
  std::uint64_t time = 0;    // nanoseconds since 1970
  std::uint32_t length = 0;  // bytes on the wire, without FCS
  std::span<const std::byte> bytes;
  std::string_view comment;  // may be empty
};

struct Statistics {
  std::uint32_t interface = 0;
  std::uint64_t time = 0;      // of this reading
  std::uint64_t received = 0;  // packets seen, missed ones included
  std::uint64_t missed = 0;    // packets that are not in the file (isb_ifdrop)
};

void section_header(Bytes& out, std::string_view application);
void interface_description(Bytes& out, const Interface& interface);
// Outbound.
void enhanced_packet(Bytes& out, const Packet& packet);
void interface_statistics(Bytes& out, const Statistics& statistics);

// Of the block that begins here, and is all there: its length, and whether it holds a packet.
std::size_t block_length(std::span<const std::byte> blocks) noexcept;
bool is_packet(std::span<const std::byte> blocks) noexcept;

}  // namespace qdiscsim::pcapng
