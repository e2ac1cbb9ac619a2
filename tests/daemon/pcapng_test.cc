// The blocks of a capture file, byte for byte.
#include "daemon/pcapng.h"

#include <gtest/gtest.h>

#include <string>

namespace qdiscsim::pcapng {
namespace {

// "0a0d0d0a 1c000000 ...": blanks and line feeds count for nothing.
Bytes bytes(const std::string& hex) {
  Bytes out;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  return out;
}

std::string hex(const Bytes& data) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    const auto value = std::to_integer<unsigned>(data[i]);
    out += i % 4 == 0 && i > 0 ? " " : "";
    out += kDigits[value >> 4U];
    out += kDigits[value & 15U];
  }
  return out;
}

void expect_bytes(const Bytes& actual, const std::string& wanted) {
  EXPECT_EQ(hex(actual), hex(bytes(wanted)));
}

TEST(Pcapng, ASectionBeginsWithItsByteOrderVersionAndApplication) {
  Bytes out;
  section_header(out, "qdiscsimd 1");
  expect_bytes(out,
               "0a0d0d0a 30000000 4d3c2b1a 01000000 ffffffff ffffffff"
               "04000b00 71646973 6373696d 64203100 00000000 30000000");
}

TEST(Pcapng, AnInterfaceHasNameDescriptionAndNanoseconds) {
  Bytes out;
  interface_description(out, {.name = "eth0", .description = "queue", .snaplen = 3584});
  expect_bytes(out,
               "01000000 34000000 0100 0000 000e0000"
               "02000400 65746830"
               "03000500 71756575 65000000"
               "09000100 09000000 00000000 34000000");
}

TEST(Pcapng, APacketIsOutboundAndCarriesItsComment) {
  const Bytes data = bytes("0102030405");
  Bytes out;
  enhanced_packet(out, {.interface = 3,
                        .time = 0x1122334455667788,
                        .length = 60,
                        .bytes = data,
                        .comment = "band 1"});
  // The upper half of the time stands first. Data and comment are padded with zeroes.
  expect_bytes(out,
               "06000000 40000000 03000000 44332211 88776655 05000000 3c000000"
               "01020304 05000000"
               "02000400 02000000"
               "01000600 62616e64 20310000 00000000 40000000");
}

TEST(Pcapng, APacketWithoutACommentHasNone) {
  const Bytes data = bytes("01020304");
  Bytes out;
  enhanced_packet(out, {.interface = 0, .time = 1, .length = 4, .bytes = data, .comment = ""});
  expect_bytes(out,
               "06000000 30000000 00000000 00000000 01000000 04000000 04000000"
               "01020304 02000400 02000000 00000000 30000000");
}

TEST(Pcapng, StatisticsSayWhatCameAndWhatIsMissing) {
  Bytes out;
  interface_statistics(out, {.interface = 1, .time = 0x100000002, .received = 258, .missed = 3});
  expect_bytes(out,
               "05000000 34000000 01000000 01000000 02000000"
               "04000800 02010000 00000000"
               "05000800 03000000 00000000 00000000 34000000");
}

TEST(Pcapng, EveryBlockHasAPaddedLengthAtBothEnds) {
  for (std::size_t size = 0; size < 70; ++size) {
    const Bytes data(size, std::byte{0xff});
    const std::string comment(size % 9, 'x');
    Bytes out;
    section_header(out, comment);
    const std::size_t first = out.size();
    enhanced_packet(out,
                    {.interface = 0, .time = 1, .length = 1, .bytes = data, .comment = comment});
    EXPECT_EQ(block_length(out), first);
    EXPECT_FALSE(is_packet(out));
    const std::span second = std::span{out}.subspan(first);
    EXPECT_EQ(block_length(second), second.size());
    EXPECT_TRUE(is_packet(second));
    EXPECT_EQ(second.size() % 4, 0U);
    EXPECT_EQ(block_length(second), block_length(second.last(8)));
  }
}

}  // namespace
}  // namespace qdiscsim::pcapng
