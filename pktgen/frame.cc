#include "pktgen/frame.h"

#include <algorithm>

namespace qdiscsim {

bool FrameOptions::draws() const noexcept {
  return (vlan.on() && vlan_random) || (svlan.on() && svlan_random) ||
         (mpls_random && !mpls.empty()) || (ipv6 && destination6_random);
}

FrameFields FrameFields::first_of(const FrameOptions& frame) noexcept {
  FrameFields fields;
  fields.vlan_id = frame.vlan.id;
  fields.svlan_id = frame.svlan.id;
  std::copy_n(frame.mpls.begin(), std::min(frame.mpls.size(), kMostLabels), fields.mpls.begin());
  std::copy_n(frame.destination6.begin(), fields.destination6.size(), fields.destination6.begin());
  return fields;
}

void FrameFields::draw(const FrameOptions& frame, std::uint32_t& destination6_last,
                       Prng& prng) noexcept {
  if (frame.mpls_random) {
    for (std::size_t i = 0; i < std::min(frame.mpls.size(), kMostLabels); ++i) {
      if ((frame.mpls[i] & kBottomOfStack) == 0) continue;
      mpls[i] = kBottomOfStack | (static_cast<std::uint32_t>(prng.next() >> 32U) & 0xfffffU);
    }
  }
  if (frame.vlan_random) vlan_id = static_cast<std::uint16_t>(prng.below(VlanTag::kIds));
  if (frame.svlan_random) svlan_id = static_cast<std::uint16_t>(prng.below(VlanTag::kIds));
  if (!frame.ipv6 || !frame.destination6_random) return;
  Ipv6Address address{};
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < address.size(); ++i, bits >>= 8U) {
    if (i % sizeof bits == 0) bits = prng.next();
    address[i] = static_cast<std::uint8_t>((bits | frame.destination6_least[i]) &
                                           frame.destination6_most[i]);
  }
  std::copy_n(address.begin(), destination6.size(), destination6.begin());
  destination6_last = last_word(address);
}

}  // namespace qdiscsim
