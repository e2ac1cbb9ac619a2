// SojournHistogram: how long sampled packets stayed in a band's ring. One writer (a CPU), any
// readers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "base/counter.h"

namespace qdiscsim {

// Upper bounds of the buckets, in nanoseconds; above the last lies one more bucket.
inline constexpr std::array<Nanoseconds, 16> kSojournBounds{
    1'000,   2'000,     5'000,     10'000,    20'000,     50'000,     100'000,     200'000,
    500'000, 1'000'000, 2'000'000, 5'000'000, 10'000'000, 50'000'000, 100'000'000, 1'000'000'000};

template <class Smp>
class SojournHistogram {
 public:
  void record(Nanoseconds value) noexcept {
    std::size_t bucket = 0;
    while (bucket < kSojournBounds.size() && value > kSojournBounds[bucket]) ++bucket;
    buckets_[bucket].add(1);
    sum_.add(value);
  }
  std::uint64_t bucket(std::size_t index) const noexcept { return buckets_[index].read(); }
  Nanoseconds sum() const noexcept { return sum_.read(); }

 private:
  std::array<Counter<Smp>, kSojournBounds.size() + 1> buckets_;
  Counter<Smp> sum_;
};

}  // namespace qdiscsim
