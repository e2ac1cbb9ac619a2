#include "config/addresses.h"

#include <arpa/inet.h>

#include <array>
#include <cctype>

namespace qdiscsim::config {
namespace {

constexpr std::size_t kMacBytes = 6;
constexpr std::size_t kGroup = 3;  // two digits and the colon

std::uint64_t number_of(const unsigned char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | bytes[i];
  return value;
}

void store(std::uint64_t value, unsigned char* bytes, std::size_t count) {
  for (std::size_t i = count; i > 0; --i, value >>= 8U) {
    bytes[i - 1] = static_cast<unsigned char>(value);
  }
}

}  // namespace

std::optional<IpAddress> parse_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return IpAddress{static_cast<std::uint32_t>(number_of(bytes.data(), 4))};
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  return IpAddress::ipv6(number_of(bytes.data(), 8), number_of(bytes.data() + 8, 8));
}

std::string address_text(const IpAddress& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.v6) {
    store(address.high, bytes.data(), 8);
    store(address.low, bytes.data() + 8, 8);
  } else {
    store(address.low, bytes.data(), 4);
  }
  inet_ntop(address.v6 ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
  return text.data();
}

std::optional<std::uint64_t> parse_mac(const std::string& text) {
  if (text.size() != kMacBytes * kGroup - 1) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool colon = i % kGroup == kGroup - 1;
    if (colon ? text[i] != ':' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) {
      return std::nullopt;
    }
  }
  std::uint64_t mac = 0;
  for (std::size_t i = 0; i < text.size(); i += kGroup) {
    mac = mac << 8U | std::stoul(text.substr(i, 2), nullptr, 16);
  }
  return mac;
}

std::string mac_text(std::uint64_t mac) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned shift = 48; shift > 0; shift -= 8) {
    text += kDigits[mac >> (shift - 4) & 0xfU];
    text += kDigits[mac >> (shift - 8) & 0xfU];
    if (shift > 8) text += ':';
  }
  return text;
}

}  // namespace qdiscsim::config
