// Mixes of packet sizes that have a name: packet_size.imix may be one, in place of a list.
//
// 7:4:1 is the "simple IMIX" of 40, 576 and 1500 bytes, as IP packets; 28:16:4 and 28:20:4 are
// those of 60, 590 and 1514 bytes, whole frames without FCS. pktgen has no frame below 42 bytes: 40
// becomes 42, as with its own imix_weights.
#include <algorithm>
#include <array>

#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

constexpr std::array<std::string_view, 3> kImixNames{"7:4:1", "28:16:4", "28:20:4"};
constexpr std::array<std::array<SizeWeight, 3>, kImixNames.size()> kImixes{{
    {{{42, 7}, {576, 4}, {1500, 1}}},
    {{{60, 28}, {590, 16}, {1514, 4}}},
    {{{60, 28}, {590, 20}, {1514, 4}}},
}};

// Which of them it is; none: kImixes.size().
std::uint64_t which(const void* owner) {
  const auto& imix = static_cast<const PacketSize*>(owner)->imix;
  const auto found = std::find_if(kImixes.begin(), kImixes.end(), [&](const auto& mix) {
    return std::equal(imix.begin(), imix.end(), mix.begin(), mix.end());
  });
  return static_cast<std::uint64_t>(found - kImixes.begin());
}

}  // namespace

constinit const Key kNamedImix{
    .name = "imix",
    .type = Type::kChoice,
    .choices = kImixNames,
    .number = {which,
               [](void* owner, std::uint64_t value) {
                 auto& size = *static_cast<PacketSize*>(owner);
                 size.kind = SizeKind::kImix;
                 size.imix.assign(kImixes[value].begin(), kImixes[value].end());
               }},
    .shown = [](const void* owner) { return which(owner) < kImixes.size(); }};

}  // namespace qdiscsim::config
