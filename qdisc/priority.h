// From the TOS byte to skb->priority, and from skb->priority to a band of pfifo_fast.
// Source: linux rt_tos2priority() and pfifo_fast's priomap, as `tc qdisc show` prints it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace qdiscsim {

inline constexpr std::size_t kBandCount = 3;

inline constexpr std::array<std::uint8_t, 16> kPriorityToBand{1, 2, 2, 2, 1, 2, 0, 0,
                                                              1, 1, 1, 1, 1, 1, 1, 1};

// Only the low four bits count, so a class id such as 0x10006 selects like 6.
constexpr std::size_t band_of(std::uint32_t priority) noexcept {
  return kPriorityToBand[priority & 15U];
}

// Only TOS bits 0x10 and 0x08 have an effect: 0 best effort, 2 bulk, 6 interactive, 4 interactive
// bulk.
constexpr std::uint32_t priority_of_tos(std::uint8_t tos) noexcept {
  constexpr std::array<std::uint8_t, 4> kByLowDelayAndThroughput{0, 2, 6, 4};
  return kByLowDelayAndThroughput[(tos >> 3U) & 3U];
}

}  // namespace qdiscsim
