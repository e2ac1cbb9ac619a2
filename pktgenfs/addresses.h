// Addresses as pktgen reads and prints them.
// Source: linux in_aton() (include/linux/inet.h), in6_pton(), mac_pton() (lib/net_utils.c), and the
// formats %pI4, %pI6c and %pM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pktgenfs/backend.h"

namespace qdiscsim::pktgenfs {

// Host byte order. Never fails: four groups of digits with one byte between them, as many as there
// are; what is missing is 0, and a group keeps its low eight bits.
std::uint32_t ipv4_of(std::string_view text) noexcept;
std::string ipv4_text(std::uint32_t address);

// Nothing when the text is no IPv6 address.
std::optional<Ipv6Address> ipv6_of(std::string_view text);
std::string ipv6_text(const Ipv6Address& address);

// "aa:bb:cc:dd:ee:ff"; bytes behind it are ignored.
std::optional<MacAddress> mac_of(std::string_view text) noexcept;
std::string mac_text(const MacAddress& mac);

}  // namespace qdiscsim::pktgenfs
