#include "daemon/pcapng.h"

namespace qdiscsim::pcapng {
namespace {

enum Block : std::uint32_t {
  kSectionHeader = 0x0a0d0d0a,
  kInterfaceDescription = 1,
  kInterfaceStatistics = 5,
  kEnhancedPacket = 6,
};

// Codes of options; 0 ends them, 1 is a comment in every block.
enum Option : std::uint16_t {
  kEnd = 0,
  kComment = 1,
  kPacketFlags = 2,
  kIfName = 2,
  kIfDescription = 3,
  kIfTimeResolution = 9,
  kApplication = 4,
  kIfReceived = 4,
  kIfDropped = 5,
};

constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::uint16_t kEthernet = 1;
constexpr std::uint32_t kOutbound = 2;
constexpr std::byte kNanoseconds{9};  // 10^-9 s

// Of an unsigned type, the lowest byte first.
template <class T>
void put(Bytes& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>(value >> 8 * i));
}

void put(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize(out.size() + (4 - bytes.size() % 4) % 4);  // everything starts at a multiple of 4
}

void option(Bytes& out, Option code, std::span<const std::byte> value) {
  put(out, static_cast<std::uint16_t>(code));
  put(out, static_cast<std::uint16_t>(value.size()));
  put(out, value);
}
void option(Bytes& out, Option code, std::string_view text) {
  option(out, code, std::as_bytes(std::span{text}));
}
void option(Bytes& out, Option code, std::uint64_t value) {
  put(out, static_cast<std::uint16_t>(code));
  put(out, static_cast<std::uint16_t>(sizeof value));
  put(out, value);
}

std::uint32_t get(std::span<const std::byte> bytes) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << 8 * i;
  return value;
}

// The upper half first, whatever the byte order.
void time(Bytes& out, std::uint64_t nanoseconds) {
  put(out, static_cast<std::uint32_t>(nanoseconds >> 32U));
  put(out, static_cast<std::uint32_t>(nanoseconds));
}

// Around a block's content: type, length, content, length.
template <class Content>
void block(Bytes& out, Block type, Content&& content) {
  const std::size_t start = out.size();
  put(out, static_cast<std::uint32_t>(type));
  put(out, std::uint32_t{0});
  content();
  const auto length = static_cast<std::uint32_t>(out.size() - start + 4);
  put(out, length);
  for (std::size_t i = 0; i < 4; ++i) out[start + 4 + i] = out[out.size() - 4 + i];
}

void end_of_options(Bytes& out) {
  put(out, std::uint32_t{kEnd});
}

}  // namespace

void section_header(Bytes& out, std::string_view application) {
  block(out, kSectionHeader, [&] {
    put(out, kByteOrderMagic);
    put(out, std::uint16_t{1});  // version 1.0
    put(out, std::uint16_t{0});
    put(out, ~std::uint64_t{0});  // length of the section: not given
    option(out, kApplication, application);
    end_of_options(out);
  });
}

void interface_description(Bytes& out, const Interface& interface) {
  block(out, kInterfaceDescription, [&] {
    put(out, kEthernet);
    put(out, std::uint16_t{0});
    put(out, interface.snaplen);
    option(out, kIfName, interface.name);
    option(out, kIfDescription, interface.description);
    option(out, kIfTimeResolution, std::span{&kNanoseconds, 1});
    end_of_options(out);
  });
}

void enhanced_packet(Bytes& out, const Packet& packet) {
  block(out, kEnhancedPacket, [&] {
    put(out, packet.interface);
    time(out, packet.time);
    put(out, static_cast<std::uint32_t>(packet.bytes.size()));
    put(out, packet.length);
    put(out, packet.bytes);
    put(out, static_cast<std::uint16_t>(kPacketFlags));
    put(out, std::uint16_t{4});
    put(out, kOutbound);
    if (!packet.comment.empty()) option(out, kComment, packet.comment);
    end_of_options(out);
  });
}

void interface_statistics(Bytes& out, const Statistics& statistics) {
  block(out, kInterfaceStatistics, [&] {
    put(out, statistics.interface);
    time(out, statistics.time);
    option(out, kIfReceived, statistics.received);
    option(out, kIfDropped, statistics.missed);
    end_of_options(out);
  });
}

std::size_t block_length(std::span<const std::byte> blocks) noexcept {
  return get(blocks.subspan(4));
}
bool is_packet(std::span<const std::byte> blocks) noexcept {
  return get(blocks) == kEnhancedPacket;
}

}  // namespace qdiscsim::pcapng
