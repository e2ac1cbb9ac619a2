// WireClock: when each packet leaves a wire of a given rate. Exact integer arithmetic: over any
// number of packets the schedule is off by less than a nanosecond.
//
// A packet occupies the wire for its bytes, padded to the Ethernet minimum of 60, plus 24: 4 of
// frame check sequence, 8 of preamble and start delimiter, 12 of inter-packet gap (IEEE 802.3). 60
// bytes at 1 Gbit/s take 672 ns: 1,488,095 packets a second.
//
// A packet starts when the wire is free and the packet was there, not when the host found time to
// post it. In a simulator on shared cores a drain can come late by milliseconds; real hardware
// would have been fed by an interrupt meanwhile. So transmit time that the host missed is made up
// from what was waiting, and summed in catch_up_ns, where everyone can see it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace qdiscsim {

class WireClock {
 public:
  static constexpr std::uint32_t kMinFrameBytes = 60;
  static constexpr std::uint32_t kOverheadBytes = 24;

  explicit WireClock(std::uint64_t bits_per_second) noexcept : rate_{bits_per_second} {}

  // Departure time of the last bit of a packet of len bytes that was ready at `ready` and is posted
  // at `now`.
  Nanoseconds schedule(std::uint32_t len, Nanoseconds ready, Nanoseconds now) noexcept {
    const Nanoseconds start = std::max(free_at_, std::min(ready, now));
    if (start > free_at_) remainder_ = 0;
    const std::uint64_t bits = std::uint64_t{std::max(len, kMinFrameBytes) + kOverheadBytes} * 8U;
    const std::uint64_t scaled = bits * kSecond + remainder_;
    const Nanoseconds duration = scaled / rate_;
    remainder_ = scaled % rate_;
    free_at_ = start + duration;
    if (start < now) catch_up_ += std::min(duration, now - start);
    return free_at_;
  }

  void set_rate(std::uint64_t bits_per_second) noexcept {
    rate_ = bits_per_second;
    remainder_ = 0;
  }
  std::uint64_t rate() const noexcept { return rate_; }
  Nanoseconds free_at() const noexcept { return free_at_; }
  Nanoseconds catch_up_ns() const noexcept { return catch_up_; }

 private:
  std::uint64_t rate_;
  std::uint64_t remainder_ = 0;  // of the division by rate_, carried into the next packet
  Nanoseconds free_at_ = 0;
  Nanoseconds catch_up_ = 0;
};

}  // namespace qdiscsim
