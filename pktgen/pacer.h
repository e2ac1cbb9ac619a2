// Pacer: when each packet of a generator is due. The schedule never drifts: being late does not
// move it, so a generator that fell behind catches up, and how far it is behind can be read at any
// time. Integer arithmetic with a carried remainder: n packets take n * period to the nanosecond.
// Source: linux net/core/pktgen.c, next_tx = target + delay.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace qdiscsim {

class Pacer {
 public:
  // A period of `ns / per` nanoseconds a packet; ns = 0 means as fast as possible.
  struct Period {
    std::uint64_t ns = 0;
    std::uint64_t per = 1;

    bool unlimited() const noexcept { return ns == 0; }
  };

  static constexpr Period packets_per_second(std::uint64_t rate) noexcept {
    return {kSecond, rate};
  }
  static constexpr Period delay(Nanoseconds ns) noexcept { return {ns, 1}; }
  // A delay that no run outlives: nothing is sent, not even a first packet.
  static constexpr Nanoseconds kNever = INT64_MAX;

  explicit Pacer(Period period) noexcept : period_{period} {}

  // A new schedule, whose first packet is due at `now`.
  void restart(Period period, Nanoseconds now) noexcept {
    period_ = period;
    remainder_ = 0;
    due_ = period.ns == kNever ? kNever : now;
  }

  // Instead of advance(), when the due times come from elsewhere, one by one.
  void follow(Nanoseconds due) noexcept {
    period_ = delay(1);
    remainder_ = 0;
    due_ = due;
  }

  bool unlimited() const noexcept { return period_.unlimited(); }
  Nanoseconds due() const noexcept { return due_; }

  // The schedule moves on by `packets`.
  void advance(std::uint64_t packets) noexcept {
    const std::uint64_t scaled = packets * period_.ns + remainder_;
    due_ += scaled / period_.per;
    remainder_ = scaled % period_.per;
  }

 private:
  Period period_;
  std::uint64_t remainder_ = 0;
  Nanoseconds due_ = 0;
};

// The share of thread `index` of `threads` of a total: the shares sum to the total exactly.
constexpr std::uint64_t share_of(std::uint64_t total, std::uint32_t index,
                                 std::uint32_t threads) noexcept {
  return total / threads + (index < total % threads ? 1 : 0);
}

}  // namespace qdiscsim
