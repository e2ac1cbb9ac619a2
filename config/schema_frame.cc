// The schema's entries of what a generator's packets carry before their payload: addresses, tags,
// labels.
#include <cstdint>

#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

using enum Type;
using enum Reload;

constexpr std::uint64_t kMaxMac = (1ULL << 48U) - 1;
constexpr std::uint64_t kMaxId = 4'095;
constexpr std::uint64_t kMaxLabel = (1U << 20U) - 1;

constexpr Key kAddresses[] = {
    {.name = "min",
     .type = kAddress,
     .reload = kLive,
     .address = addresses<&AddressRange::min>(),
     .unset = "required in a range",
     .help = "First address."},
    {.name = "max",
     .type = kAddress,
     .reload = kLive,
     .address = addresses<&AddressRange::max>(),
     .unset = "required in a range",
     .help = "Last address, inclusive; of IPv6, the first 96 bits are those of `min`."},
    {.name = "random",
     .type = kBool,
     .reload = kLive,
     .number = number<&AddressRange::random>(),
     .help = "Draw each address, instead of one after the other."},
};

constexpr Key kMacs[] = {
    {.name = "min",
     .type = kMac,
     .reload = kLive,
     .max = kMaxMac,
     .number = number<&MacRange::min>(),
     .unset = "required in a range",
     .help = "First address."},
    {.name = "max",
     .type = kMac,
     .reload = kLive,
     .max = kMaxMac,
     .number = number<&MacRange::max>(),
     .unset = "required in a range",
     .help = "Last address, inclusive; the first two bytes are those of `min`."},
    {.name = "random",
     .type = kBool,
     .reload = kLive,
     .number = number<&MacRange::random>(),
     .help = "Draw each address, instead of one after the other."},
};

constexpr Key kVlan[] = {
    {.name = "id",
     .reload = kLive,
     .max = kMaxId,
     .number = number<&Vlan::id>(),
     .unset = "required in a tag",
     .help = "VLAN identifier."},
    {.name = "priority",
     .reload = kLive,
     .max = 7,
     .number = number<&Vlan::priority>(),
     .help = "Priority code point. It does not change skb->priority."},
    {.name = "cfi",
     .type = kBool,
     .reload = kLive,
     .number = number<&Vlan::cfi>(),
     .help = "The bit between priority and identifier: CFI, of a service tag DEI."},
};

constexpr Key kLabels[] = {
    {.name = "label",
     .reload = kLive,
     .max = kMaxLabel,
     .number = number<&MplsLabel::label>(),
     .help = "Label."},
    {.name = "traffic_class",
     .reload = kLive,
     .max = 7,
     .number = number<&MplsLabel::traffic_class>(),
     .help = "Traffic class."},
    {.name = "ttl",
     .reload = kLive,
     .max = 255,
     .number = number<&MplsLabel::ttl>(),
     .help = "Time to live."},
};

}  // namespace

std::span<const Key> address_keys() {
  return kAddresses;
}
std::span<const Key> mac_keys() {
  return kMacs;
}
std::span<const Key> vlan_keys() {
  return kVlan;
}
std::span<const Key> label_keys() {
  return kLabels;
}

constinit const Key kOneAddress{.name = "address",
                                .type = kAddress,
                                .address = addresses<&AddressRange::min, &AddressRange::max>(),
                                .shown = one_value<AddressRange>};

constinit const Key kOneMac{.name = "address",
                            .type = kMac,
                            .max = kMaxMac,
                            .number = both<&MacRange::min, &MacRange::max>(),
                            .shown = one_value<MacRange>};

constinit const Key kOneTag{
    .name = "id", .max = kMaxId, .number = number<&Vlan::id>(), .shown = [](const void* owner) {
      const auto& tag = *static_cast<const Vlan*>(owner);
      return tag == Vlan{tag.id, 0, false};
    }};

constinit const Key kOneLabel{
    .name = "label",
    .max = kMaxLabel,
    .number = {[](const void* group) {
                 return std::uint64_t{static_cast<const GeneratorGroup*>(group)->mpls[0].label};
               },
               [](void* group, std::uint64_t value) {
                 static_cast<GeneratorGroup*>(group)->mpls = {
                     {.label = static_cast<std::uint32_t>(value)}};
               }},
    .shown = [](const void* group) {
      const auto& labels = static_cast<const GeneratorGroup*>(group)->mpls;
      return labels.size() == 1 && labels[0] == MplsLabel{.label = labels[0].label};
    }};

}  // namespace qdiscsim::config
