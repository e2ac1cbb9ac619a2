// The bytes of a packet, checked by a reader of its own.
#include "pktgen/packet_template.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/prng.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

class Packet {
 public:
  Packet(PacketTemplate& source, std::uint32_t sequence, Nanoseconds wall) : bytes_(4096) {
    std::uint16_t written = PacketTemplate::kPlain;
    source.write(bytes_.data(), written, sequence, wall);
    bytes_.resize(source.length());
  }
  std::uint32_t byte(std::size_t at) const { return std::to_integer<std::uint32_t>(bytes_.at(at)); }
  std::uint32_t word(std::size_t at) const { return byte(at) << 8U | byte(at + 1); }
  std::uint32_t number(std::size_t at) const { return word(at) << 16U | word(at + 2); }
  std::size_t length() const { return bytes_.size(); }
  // One's complement sum of the bytes from `at`, as a receiver computes it.
  std::uint64_t sum(std::size_t at, std::size_t bytes) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < bytes; ++i) total += byte(at + i) << (i % 2 == 0 ? 8U : 0U);
    return total;
  }

 private:
  std::vector<std::byte> bytes_;
};

constexpr std::size_t kIp = 14;
constexpr std::size_t kUdp = 34;
constexpr std::size_t kPayload = 42;

std::uint64_t folded(std::uint64_t sum) {
  while (sum > 0xffff) sum = (sum >> 16U) + (sum & 0xffffU);
  return sum;
}

std::uint64_t ip_sum(const Packet& packet) {
  return folded(packet.sum(kIp, 20));
}

std::uint64_t udp_sum(const Packet& packet) {
  const std::uint64_t pseudo = packet.sum(kIp + 12, 8) + 17 + packet.word(kUdp + 4);
  return folded(pseudo + packet.sum(kUdp, packet.length() - kUdp));
}

PacketFields some_fields() {
  PacketFields fields;
  fields.size = 100;
  fields.source = 0xc6120001;
  fields.destination = 0x0a0b0c0d;
  fields.udp_source = 1234;
  fields.udp_destination = 9;
  return fields;
}

TEST(PacketTemplate, WritesTheHeadersThatWereAskedFor) {
  PacketTemplate source{0x10, false};
  source.set_fields(some_fields());
  const Packet packet{source, 1, 0};
  EXPECT_EQ(packet.length(), 100U);
  EXPECT_EQ(packet.word(12), 0x0800U);
  EXPECT_EQ(packet.byte(kIp), 0x45U);
  EXPECT_EQ(packet.byte(kIp + 1), 0x10U);
  EXPECT_EQ(packet.word(kIp + 2), 86U);
  EXPECT_EQ(packet.byte(kIp + 8), 32U);
  EXPECT_EQ(packet.byte(kIp + 9), 17U);
  EXPECT_EQ(packet.number(kIp + 12), 0xc6120001U);
  EXPECT_EQ(packet.number(kIp + 16), 0x0a0b0c0dU);
  EXPECT_EQ(packet.word(kUdp), 1234U);
  EXPECT_EQ(packet.word(kUdp + 2), 9U);
  EXPECT_EQ(packet.word(kUdp + 4), 66U);
  EXPECT_EQ(packet.word(kUdp + 6), 0U) << "no UDP checksum unless asked for";
}

TEST(PacketTemplate, WritesPktgensHeaderIntoThePayload) {
  PacketTemplate source{0, false};
  source.set_fields(some_fields());
  const Packet packet{source, 0x01020304, 1'700'000'000 * kSecond + 123'456'789};
  EXPECT_EQ(packet.number(kPayload), 0xbe9be955U);
  EXPECT_EQ(packet.number(kPayload + 4), 0x01020304U);
  EXPECT_EQ(packet.number(kPayload + 8), 1'700'000'000U);
  EXPECT_EQ(packet.number(kPayload + 12), 123'456U);
}

TEST(PacketTemplate, LeavesTheTimeZeroWithoutATimestamp) {
  PacketTemplate source{0, false};
  source.set_fields(some_fields());
  static_cast<void>(Packet{source, 1, kSecond});
  const Packet packet{source, 2, 0};
  EXPECT_EQ(packet.number(kPayload + 8), 0U);
  EXPECT_EQ(packet.number(kPayload + 12), 0U);
}

TEST(PacketTemplate, IsNeverShorterThanItsHeaders) {
  PacketTemplate source{0, false};
  PacketFields fields = some_fields();
  for (const auto& [size, length] : {std::pair{42U, 58U}, {58U, 58U}, {59U, 59U}, {60U, 60U}}) {
    fields.size = size;
    source.set_fields(fields);
    EXPECT_EQ(source.length(), length);
    const Packet packet{source, 1, 0};
    EXPECT_EQ(packet.word(kIp + 2), length - 14);
    EXPECT_EQ(packet.word(kUdp + 4), length - 34);
  }
}

TEST(PacketTemplate, CountsTheIdentificationUp) {
  PacketTemplate source{0, false};
  source.set_fields(some_fields());
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    const Packet packet{source, i, 0};
    ASSERT_EQ(packet.word(kIp + 4), i % 65'536);
    ASSERT_EQ(ip_sum(packet), 0xffffU) << "packet " << i;
  }
}

TEST(PacketTemplate, HasChecksumsThatAReceiverAccepts) {
  for (const std::uint64_t seed : test::seeds(5)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    PacketTemplate source{static_cast<std::uint8_t>(prng.below(256)), true};
    for (int i = 0; i < 2'000; ++i) {
      PacketFields fields;
      fields.size = prng.between(42, 200);
      fields.source = static_cast<std::uint32_t>(prng.next());
      fields.destination = static_cast<std::uint32_t>(prng.next());
      fields.udp_source = static_cast<std::uint16_t>(prng.next());
      fields.udp_destination = static_cast<std::uint16_t>(prng.next());
      source.set_fields(fields);
      const Packet packet{source, static_cast<std::uint32_t>(prng.next()),
                          prng.next() % (4'000'000'000 * kSecond)};
      ASSERT_EQ(ip_sum(packet), 0xffffU);
      ASSERT_EQ(udp_sum(packet), 0xffffU);
      ASSERT_NE(packet.word(kUdp + 6), 0U) << "zero would mean that there is none";
    }
  }
}

}  // namespace
}  // namespace qdiscsim
