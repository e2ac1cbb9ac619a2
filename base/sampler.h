// Sampler: takes one in n events. The gaps between those that it takes are random, all lengths from
// 1 to 2n - 1 being as likely, so that no pattern of the events (lists, batches, every other
// packet) can fall into step with it. The same seed takes the same. Costs a decrement an event.
//
//   if (sampler.tick()) [[unlikely]] { if (sampler.take(every)) ... }
//
// One thread at a time. `every` may change at any time; a change is noticed within kLook events.
#pragma once

#include <algorithm>
#include <cstdint>

namespace qdiscsim {

class Sampler {
 public:
  static constexpr std::uint64_t kLook = 256;

  // Neighbouring seeds begin far apart.
  void seed(std::uint64_t number) noexcept { random_ = (number + 1) * 0x9e3779b97f4a7c15U; }

  // For each event. True: ask take() about this one.
  bool tick() noexcept { return --left_ == 0; }

  // every: 1 .. 2^31, one in so many is taken; 0 = none. Whether this event is.
  [[gnu::noinline]] bool take(std::uint32_t every) noexcept {
    if (every != every_) {
      every_ = every;
      beyond_ = every == 0 ? 0 : gap() - 1;
    }
    const bool taken = every != 0 && beyond_ == 0;
    if (taken) beyond_ = gap();
    left_ = beyond_ == 0 ? kLook : std::min(beyond_, kLook);
    beyond_ -= std::min(beyond_, left_);
    return taken;
  }

 private:
  // A linear congruential generator (Knuth's MMIX constants), of which the upper half is used.
  std::uint64_t gap() noexcept {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return 1 + (((random_ >> 32U) * (2 * std::uint64_t{every_} - 1)) >> 32U);
  }

  std::uint64_t left_ = 1;    // events until take() is asked
  std::uint64_t beyond_ = 0;  // events from then on until one is taken
  std::uint64_t random_ = 0;
  std::uint32_t every_ = 0;
};

}  // namespace qdiscsim
