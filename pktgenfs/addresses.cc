#include "pktgenfs/addresses.h"

#include <arpa/inet.h>

#include <array>
#include <cstdio>

#include "pktgenfs/words.h"

namespace qdiscsim::pktgenfs {
std::uint32_t ipv4_of(std::string_view text) noexcept {
  std::uint32_t address = 0;
  std::size_t at = 0;
  for (int group = 0; group < 4; ++group) {
    std::uint32_t value = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      value = value * 10 + static_cast<std::uint32_t>(text[at++] - '0');
    }
    address = address << 8U | (value & 0xffU);
    if (at < text.size()) ++at;
  }
  return address;
}

std::string ipv4_text(std::uint32_t address) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string(address >> static_cast<unsigned>(shift) & 0xffU);
    if (shift != 0) text += '.';
  }
  return text;
}

std::optional<Ipv6Address> ipv6_of(std::string_view text) {
  Ipv6Address address{};
  if (inet_pton(AF_INET6, std::string{text}.c_str(), address.data()) != 1) return std::nullopt;
  return address;
}

std::string ipv6_text(const Ipv6Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  return text.data();
}

std::optional<MacAddress> mac_of(std::string_view text) noexcept {
  constexpr std::size_t kGroup = 3;
  if (text.size() < 6 * kGroup - 1) return std::nullopt;
  MacAddress mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) {
    const int high = hex_digit(text[i * kGroup]);
    const int low = hex_digit(text[i * kGroup + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    if (i + 1 < mac.size() && text[i * kGroup + 2] != ':') return std::nullopt;
    mac[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return mac;
}

std::string mac_text(const MacAddress& mac) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
                mac[3], mac[4], mac[5]);
  return text.data();
}

}  // namespace qdiscsim::pktgenfs
