// Commands that store one number (command.h).
#include <algorithm>

#include "pktgenfs/command.h"

namespace qdiscsim::pktgenfs {
namespace {

std::uint32_t size_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(value, DeviceSettings::kLeastSize));
}

// As the kernel prints an int.
std::int64_t as_int(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

// Stores what fits into the field. A new value becomes the current one too.
template <class Field>
Field store(Field& field, std::uint64_t value, Field& current) {
  if (value != field) {
    field = static_cast<Field>(value);
    current = field;
  }
  return field;
}

template <class Field>
Field store(Field& field, std::uint64_t value) {
  return field = static_cast<Field>(value);
}

std::int64_t store_mac_count(std::uint32_t& field, std::uint64_t value, std::uint32_t& offset) {
  if (value != field) offset = 0;
  return as_int(store(field, value));
}

std::int64_t set_pkt_size(Call& call, std::uint64_t value) {
  // The minimum decides whether anything changes: max_pkt_size stays when it is already equal.
  DeviceSettings& s = call.settings;
  const std::uint32_t size = size_of(value);
  if (size != s.min_pkt_size) s.min_pkt_size = s.max_pkt_size = call.current.size = size;
  return as_int(s.min_pkt_size);
}

std::int64_t set_flows(Call& call, std::uint64_t value) {
  return store(call.settings.flows, std::min<std::uint64_t>(value, DeviceSettings::kMostFlows));
}

constexpr std::size_t kNumberDigits = 10;  // digits

constexpr NumberCommand kNumberCommands[] = {
    {"count", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t {
       return static_cast<std::int64_t>(store(c.settings.count, v));
     }},
    {"min_pkt_size", kNumberDigits,
     [](Call& c, std::uint64_t v) {
       return as_int(store(c.settings.min_pkt_size, size_of(v), c.current.size));
     }},
    {"max_pkt_size", kNumberDigits,
     [](Call& c, std::uint64_t v) {
       return as_int(store(c.settings.max_pkt_size, size_of(v), c.current.size));
     }},
    {"pkt_size", kNumberDigits, set_pkt_size},
    {"frags", kNumberDigits,
     [](Call& c, std::uint64_t v) { return as_int(store(c.settings.frags, v)); }},
    // The kernel's switch for log lines; there are none here.
    {"debug", kNumberDigits,
     [](Call&, std::uint64_t v) -> std::int64_t { return static_cast<std::uint32_t>(v); }},
    {"udp_src_min", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t {
       return store(c.settings.udp_src_min, v, c.current.udp_source);
     }},
    {"udp_src_max", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t {
       return store(c.settings.udp_src_max, v, c.current.udp_source);
     }},
    {"udp_dst_min", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t {
       return store(c.settings.udp_dst_min, v, c.current.udp_destination);
     }},
    {"udp_dst_max", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t {
       return store(c.settings.udp_dst_max, v, c.current.udp_destination);
     }},
    {"src_mac_count", kNumberDigits,
     [](Call& c, std::uint64_t v) {
       return store_mac_count(c.settings.src_mac_count, v, c.current.source_mac_offset);
     }},
    {"dst_mac_count", kNumberDigits,
     [](Call& c, std::uint64_t v) {
       return store_mac_count(c.settings.dst_mac_count, v, c.current.destination_mac_offset);
     }},
    {"flows", kNumberDigits, set_flows},
    {"flowlen", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t { return store(c.settings.flow_length, v); }},
    {"spi", kNumberDigits,
     [](Call& c, std::uint64_t v) -> std::int64_t { return store(c.settings.spi, v); }},
    {"queue_map_min", 5,
     [](Call& c, std::uint64_t v) -> std::int64_t { return store(c.settings.queue_map_min, v); }},
    {"queue_map_max", 5,
     [](Call& c, std::uint64_t v) -> std::int64_t { return store(c.settings.queue_map_max, v); }},
    {"skb_priority", 9,
     [](Call& c, std::uint64_t v) { return as_int(store(c.settings.skb_priority, v)); }},
};

}  // namespace

std::span<const NumberCommand> number_commands() noexcept {
  return kNumberCommands;
}

}  // namespace qdiscsim::pktgenfs
