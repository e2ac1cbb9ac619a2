// Commands of IPv4, IPv6 and MAC addresses (command.h).
#include <cerrno>

#include "pktgenfs/addresses.h"
#include "pktgenfs/command.h"

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::size_t kIpv4Bytes = 31;
constexpr std::size_t kIpv6Bytes = 127;
constexpr std::size_t kMacBytes = 31;

// A new text becomes the current address too.
Answer set_ipv4(Call& call, std::string_view name, std::string& text, std::uint32_t& current) {
  const std::string_view word = call.words.word(kIpv4Bytes);
  if (word != text) {
    text = word;
    current = ipv4_of(text);
  }
  call.ok(name, text);
  return 0;
}

// Makes the packets IPv6. A text that is no address changes nothing else.
Answer set_ipv6(Call& call, std::string_view name, Ipv6Address& address, Ipv6Address* current) {
  call.settings.flags |= bit(Flag::kIpv6);
  if (const auto read = ipv6_of(call.words.word(kIpv6Bytes))) address = *read;
  if (current != nullptr) *current = address;
  call.ok(name, ipv6_text(address));
  return 0;
}

Answer set_mac(Call& call, std::string_view answer, MacAddress& mac) {
  const auto read = mac_of(call.words.word(kMacBytes));
  if (!read) return -EINVAL;
  mac = *read;
  call.result = std::string{answer} + ' ' + mac_text(mac);
  return 0;
}

Answer set_dst_min(Call& c) {
  return set_ipv4(c, "dst_min", c.settings.dst_min, c.current.destination);
}

constexpr Command kAddressCommands[] = {
    {"dst", set_dst_min},
    {"dst_min", set_dst_min},
    {"dst_max",
     [](Call& c) { return set_ipv4(c, "dst_max", c.settings.dst_max, c.current.destination); }},
    {"src_min",
     [](Call& c) { return set_ipv4(c, "src_min", c.settings.src_min, c.current.source); }},
    {"src_max",
     [](Call& c) { return set_ipv4(c, "src_max", c.settings.src_max, c.current.source); }},
    {"dst6", [](Call& c) { return set_ipv6(c, "dst6", c.settings.dst6, &c.current.destination6); }},
    {"dst6_min",
     [](Call& c) { return set_ipv6(c, "dst6_min", c.settings.dst6_min, &c.current.destination6); }},
    {"dst6_max", [](Call& c) { return set_ipv6(c, "dst6_max", c.settings.dst6_max, nullptr); }},
    {"src6", [](Call& c) { return set_ipv6(c, "src6", c.settings.src6, &c.current.source6); }},
    {"dst_mac", [](Call& c) { return set_mac(c, "OK: dstmac", c.settings.dst_mac); }},
    {"src_mac", [](Call& c) { return set_mac(c, "OK: srcmac", c.settings.src_mac); }},
};

}  // namespace

std::span<const Command> address_commands() noexcept {
  return kAddressCommands;
}

}  // namespace qdiscsim::pktgenfs
