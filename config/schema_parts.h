// Inside the schema only: entries of the values that a single value may stand for, defined in
// schema_parts.cc, schema_frame.cc, schema_imix.cc, schema_ring.cc, schema_link.cc,
// schema_capture.cc and schema_traffic.cc and named where they occur.
#pragma once

#include <array>

#include "config/schema.h"

namespace qdiscsim::config {

std::span<const Key> packet_size_keys();  // owner is PacketSize
std::span<const Key> priority_keys();     // owner is PriorityWeight
std::span<const Key> address_keys();      // owner is AddressRange
std::span<const Key> port_keys();         // owner is PortRange
std::span<const Key> mac_keys();          // owner is MacRange
std::span<const Key> vlan_keys();         // owner is Vlan
std::span<const Key> label_keys();        // owner is MplsLabel
std::span<const Key> ring_keys();         // owner is Ring
std::span<const Key> link_keys();         // owner is Link
std::span<const Key> capture_keys();      // owner is Capture
std::span<const Key> traffic_keys();      // owner is CapturedTraffic

// Whether a range {min, max, random} is a single value.
template <class Range>
bool one_value(const void* owner) {
  const auto& range = *static_cast<const Range*>(owner);
  return range.min == range.max && !range.random;
}

// The words of RingClear, in the order of the enumerators.
inline constexpr std::array<std::string_view, 5> kRingClears{
    "zero_each", "zero_batch", "clear_after_head", "clear_after_head_barriers", "flush_on_empty"};

// The single value; the owner is that of the map, for kOnePriority and kOneLabel
// the group.
extern const Key kOneSize;
extern const Key kNamedImix;
extern const Key kOnePriority;
extern const Key kOneAddress;
extern const Key kOnePort;
extern const Key kOneMac;
extern const Key kOneTag;
extern const Key kOneLabel;
extern const Key kRingWord;

}  // namespace qdiscsim::config
