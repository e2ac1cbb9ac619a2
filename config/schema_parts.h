// Inside the schema only: entries of the values that a single value may stand for, defined in
// schema_parts.cc, schema_imix.cc, schema_ring.cc and schema_link.cc and named where they occur.
#pragma once

#include <array>

#include "config/schema.h"

namespace qdiscsim::config {

std::span<const Key> packet_size_keys();  // owner is PacketSize
std::span<const Key> priority_keys();     // owner is PriorityWeight
std::span<const Key> address_keys();      // owner is AddressRange
std::span<const Key> port_keys();         // owner is PortRange
std::span<const Key> ring_keys();         // owner is Ring
std::span<const Key> link_keys();         // owner is Link

// The words of RingClear, in the order of the enumerators.
inline constexpr std::array<std::string_view, 5> kRingClears{
    "zero_each", "zero_batch", "clear_after_head", "clear_after_head_barriers", "flush_on_empty"};

// The single value; the owner is that of the map, for kOnePriority the group.
extern const Key kOneSize;
extern const Key kNamedImix;
extern const Key kOnePriority;
extern const Key kOneAddress;
extern const Key kOnePort;
extern const Key kRingWord;

}  // namespace qdiscsim::config
