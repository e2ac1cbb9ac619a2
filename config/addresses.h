// IP and MAC addresses of a configuration: as values and as text.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace qdiscsim::config {

// Compares as a number; any IPv4 address is below any IPv6 one.
struct IpAddress {
  // IPv4, host byte order.
  constexpr IpAddress(std::uint32_t v4 = 0) noexcept : low{v4} {}  // NOLINT: a number is one
  static constexpr IpAddress ipv6(std::uint64_t high, std::uint64_t low) noexcept {
    IpAddress address;
    address.v6 = true;
    address.high = high;
    address.low = low;
    return address;
  }
  auto operator<=>(const IpAddress&) const = default;

  bool v6 = false;
  std::uint64_t high = 0;  // IPv6: the first eight bytes, host byte order
  std::uint64_t low = 0;   // IPv6: the last eight; IPv4: the four
};

// Nothing when the text is none.
std::optional<IpAddress> parse_address(const std::string& text);
// "198.18.0.1", or an IPv6 address in its canonical form.
std::string address_text(const IpAddress& address);

// "02:00:00:00:00:01", six groups of two hexadecimal digits. The first byte is the highest.
std::optional<std::uint64_t> parse_mac(const std::string& text);
std::string mac_text(std::uint64_t mac);

}  // namespace qdiscsim::config
