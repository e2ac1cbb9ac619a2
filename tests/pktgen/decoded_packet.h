// A packet of pktgen's as a receiver reads it, with a parser and a checksum of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace qdiscsim::test {

class DecodedPacket {
 public:
  struct Tag {
    std::uint32_t type;
    std::uint32_t priority;
    std::uint32_t cfi;
    std::uint32_t id;
    bool operator==(const Tag&) const = default;
  };

  // Does not refer to the bytes afterwards.
  explicit DecodedPacket(std::span<const std::byte> bytes) : bytes_{bytes} {
    destination_mac = mac(0);
    source_mac = mac(6);
    std::size_t at = 12;
    while (word(at) == 0x8100 || word(at) == 0x88a8) {
      const std::uint32_t tci = word(at + 2);
      tags.push_back({word(at), tci >> 13U, tci >> 12U & 1U, tci & 0xfffU});
      at += 4;
    }
    const std::uint32_t type = word(at);
    at += 2;
    bool bottom = type != 0x8847;
    while (!bottom) {
      labels.push_back(number(at));
      bottom = (labels.back() & 0x100U) != 0;
      at += 4;
    }
    ipv6 = labels.empty() ? type == 0x86dd : byte(at) >> 4U == 6;
    if (labels.empty() && !ipv6) expect(type, 0x0800, "EtherType");
    at = ipv6 ? read_ipv6(at) : read_ipv4(at);
    read_udp(at);
    bytes_ = {};
  }

  std::string problems;  // what a receiver would object to; empty: nothing
  std::string destination_mac;
  std::string source_mac;
  std::vector<Tag> tags;              // outermost first
  std::vector<std::uint32_t> labels;  // whole entries
  bool ipv6 = false;
  std::uint32_t traffic_class = 0;  // TOS of IPv4
  std::uint32_t id = 0;             // of IPv4
  std::string source;               // hexadecimal
  std::string destination;
  std::uint32_t udp_source = 0;
  std::uint32_t udp_destination = 0;
  bool has_udp_checksum = false;
  std::uint32_t sequence = 0;
  std::uint32_t seconds = 0;
  std::uint32_t microseconds = 0;
  std::size_t headers = 0;  // bytes, the payload's included

 private:
  std::size_t read_ipv4(std::size_t at) {
    expect(byte(at), 0x45, "IP version and header length");
    traffic_class = byte(at + 1);
    expect(word(at + 2), bytes_.size() - at, "IP length");
    id = word(at + 4);
    expect(word(at + 6), 0, "fragment");
    expect(byte(at + 8), 32, "TTL");
    expect(byte(at + 9), 17, "protocol");
    expect(folded(sum(at, 20)), 0xffff, "IP checksum");
    source = hex(at + 12, 4);
    destination = hex(at + 16, 4);
    pseudo_ = sum(at + 12, 8);
    return at + 20;
  }

  std::size_t read_ipv6(std::size_t at) {
    const std::uint32_t first = number(at);
    expect(first >> 28U, 6, "IP version");
    traffic_class = first >> 20U & 0xffU;
    expect(first & 0xfffffU, 0, "flow label");
    expect(word(at + 4), bytes_.size() - at - 40, "payload length");
    expect(byte(at + 6), 17, "next header");
    expect(byte(at + 7), 32, "hop limit");
    source = hex(at + 8, 16);
    destination = hex(at + 24, 16);
    pseudo_ = sum(at + 8, 32);
    return at + 40;
  }

  void read_udp(std::size_t at) {
    udp_source = word(at);
    udp_destination = word(at + 2);
    expect(word(at + 4), bytes_.size() - at, "UDP length");
    has_udp_checksum = word(at + 6) != 0;
    if (has_udp_checksum) {
      const std::size_t length = bytes_.size() - at;
      expect(folded(pseudo_ + 17 + length + sum(at, length)), 0xffff, "UDP checksum");
    }
    at += 8;
    expect(number(at), 0xbe9be955, "magic");
    sequence = number(at + 4);
    seconds = number(at + 8);
    microseconds = number(at + 12);
    headers = at + 16;
    for (std::size_t i = headers; i < bytes_.size(); ++i) expect(byte(i), 0, "byte of the payload");
  }

  std::uint32_t byte(std::size_t at) {
    if (at < bytes_.size()) return std::to_integer<std::uint32_t>(bytes_[at]);
    if (!short_) problems += "the packet ends in its headers; ";
    short_ = true;
    return 0;
  }
  std::uint32_t word(std::size_t at) { return byte(at) << 8U | byte(at + 1); }
  std::uint32_t number(std::size_t at) { return word(at) << 16U | word(at + 2); }
  std::string hex(std::size_t at, std::size_t bytes) {
    std::string text;
    for (std::size_t i = at; i < at + bytes; ++i) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", byte(i));
      text += digits;
    }
    return text;
  }
  std::string mac(std::size_t at) {
    std::string text = hex(at, 6);
    for (std::size_t i = 10; i > 0; i -= 2) text.insert(i, ":");
    return text;
  }
  // RFC 1071: of 16-bit words, an odd byte filled up with zero.
  std::uint64_t sum(std::size_t at, std::size_t bytes) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < bytes; ++i) total += byte(at + i) << (i % 2 == 0 ? 8U : 0U);
    return total;
  }
  static std::uint64_t folded(std::uint64_t sum) {
    while (sum > 0xffff) sum = (sum >> 16U) + (sum & 0xffffU);
    return sum;
  }
  void expect(std::uint64_t is, std::uint64_t should, const char* what) {
    if (is == should || problems.size() > 300) return;
    problems +=
        std::string{what} + " is " + std::to_string(is) + ", not " + std::to_string(should) + "; ";
  }

  std::span<const std::byte> bytes_;
  std::uint64_t pseudo_ = 0;  // sum of the addresses
  bool short_ = false;
};

}  // namespace qdiscsim::test
