// Composite values of a generator group: a single value, a range, or a mix.
#include "config/schema_parts.h"

#include <cstdint>

namespace qdiscsim::config {
namespace {

using enum Type;
using enum Reload;

constexpr std::uint64_t kMaxPort = UINT16_MAX;
constexpr std::uint64_t kMaxWeight = 1'000'000;
constexpr std::uint64_t kSmallestPacket = 42;
constexpr std::uint64_t kLargestPacket = 3'500;
constexpr std::string_view kOnePage = "one page holds one packet";

// -- packet_size: a number, a range or a mix --

template <auto Member>
constexpr Number end_of_sizes() {
  return {number<Member>().get, [](void* owner, std::uint64_t value) {
            auto& size = *static_cast<PacketSize*>(owner);
            size.*Member = static_cast<std::uint32_t>(value);
            if (size.kind == SizeKind::kFixed) size.kind = SizeKind::kSequence;
          }};
}
constexpr Number kRandomSizes{
    [](const void* owner) {
      return std::uint64_t{static_cast<const PacketSize*>(owner)->kind == SizeKind::kRandom};
    },
    [](void* owner, std::uint64_t value) {
      static_cast<PacketSize*>(owner)->kind = value != 0 ? SizeKind::kRandom : SizeKind::kSequence;
    }};
constexpr ListAccess kMix{list<&PacketSize::imix>().size, list<&PacketSize::imix>().at,
                          [](void* owner) -> void* {
                            auto& size = *static_cast<PacketSize*>(owner);
                            size.kind = SizeKind::kImix;
                            return &size.imix.emplace_back();
                          },
                          list<&PacketSize::imix>().clear};
bool mixed(const void* size) {
  return static_cast<const PacketSize*>(size)->kind == SizeKind::kImix;
}
bool ranged(const void* size) {
  return !mixed(size);
}
bool fixed(const void* size) {
  return static_cast<const PacketSize*>(size)->kind == SizeKind::kFixed;
}

constexpr Key kSizeWeight[] = {
    {.name = "size",
     .reload = kLive,
     .min = kSmallestPacket,
     .max = kLargestPacket,
     .number = number<&SizeWeight::size>(),
     .why = kOnePage,
     .help = "Bytes without FCS."},
    {.name = "weight",
     .reload = kLive,
     .min = 1,
     .max = kMaxWeight,
     .number = number<&SizeWeight::weight>(),
     .help = "Share of the packets, relative to the other weights."},
};
constexpr Key kPacketSize[] = {
    {.name = "min",
     .reload = kLive,
     .min = kSmallestPacket,
     .max = kLargestPacket,
     .number = end_of_sizes<&PacketSize::min>(),
     .shown = ranged,
     .unset = "required in a range",
     .why = kOnePage,
     .help = "Smallest size of a range."},
    {.name = "max",
     .reload = kLive,
     .min = kSmallestPacket,
     .max = kLargestPacket,
     .number = end_of_sizes<&PacketSize::max>(),
     .shown = ranged,
     .unset = "required in a range",
     .why = kOnePage,
     .help = "Largest size of a range."},
    {.name = "random",
     .type = kBool,
     .reload = kLive,
     .number = kRandomSizes,
     .shown = ranged,
     .help = "Draw each size, instead of one after the other."},
    {.name = "imix",
     .type = kList,
     .reload = kLive,
     .min = 1,
     .max = 20,
     .keys = rows<kSizeWeight>,
     .scalar = &kNamedImix,
     .list = kMix,
     .shown = mixed,
     .unset = "none",
     .help =
         "A mix of sizes by weight, in place of a range: a list, or a name. 7:4:1 is 42, 576 and "
         "1500 bytes; 28:16:4 and 28:20:4 are 60, 590 and 1514."},
};

// -- priority: a number or a mix --

constexpr Key kPriority[] = {
    {.name = "priority",
     .reload = kLive,
     .max = UINT32_MAX,
     .number = number<&PriorityWeight::priority>(),
     .help = "skb->priority; its low four bits choose the band."},
    {.name = "weight",
     .reload = kLive,
     .min = 1,
     .max = kMaxWeight,
     .number = number<&PriorityWeight::weight>(),
     .help = "Share of the packets, relative to the other weights."},
};

// -- ranges of ports: one value or {min, max, random} --

constexpr Key kPorts[] = {
    {.name = "min",
     .reload = kLive,
     .max = kMaxPort,
     .number = number<&PortRange::min>(),
     .unset = "required in a range",
     .help = "First port."},
    {.name = "max",
     .reload = kLive,
     .max = kMaxPort,
     .number = number<&PortRange::max>(),
     .unset = "required in a range",
     .help = "Last port, inclusive."},
    {.name = "random",
     .type = kBool,
     .reload = kLive,
     .number = number<&PortRange::random>(),
     .help = "Draw each port, instead of one after the other."},
};

}  // namespace

std::span<const Key> packet_size_keys() {
  return kPacketSize;
}
std::span<const Key> priority_keys() {
  return kPriority;
}
std::span<const Key> port_keys() {
  return kPorts;
}

constinit const Key kOneSize{
    .name = "packet_size",
    .min = kSmallestPacket,
    .max = kLargestPacket,
    .number = {number<&PacketSize::min>().get,
               [](void* owner, std::uint64_t value) {
                 const auto bytes = static_cast<std::uint32_t>(value);
                 *static_cast<PacketSize*>(owner) = {SizeKind::kFixed, bytes, bytes, {}};
               }},
    .shown = fixed,
    .why = kOnePage};

constinit const Key kOnePriority{
    .name = "priority",
    .max = UINT32_MAX,
    .number = {
        [](const void* group) {
          return std::uint64_t{static_cast<const GeneratorGroup*>(group)->priority[0].priority};
        },
        [](void* group, std::uint64_t value) {
          static_cast<GeneratorGroup*>(group)->priority = {{static_cast<std::uint32_t>(value), 1}};
        }},
    .shown = [](const void* group) {
      const auto& mix = static_cast<const GeneratorGroup*>(group)->priority;
      return mix.size() == 1 && mix[0].weight == 1;
    }};

constinit const Key kOnePort{.name = "port",
                             .max = kMaxPort,
                             .number = both<&PortRange::min, &PortRange::max>(),
                             .shown = one_value<PortRange>};

}  // namespace qdiscsim::config
