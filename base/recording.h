// Recording: what a recorder of durations (latency_recorder.h) has seen, as plain values: count,
// sum and maximum exact, quantiles to 1/64 (1.6 %), counts up to a bucket's edge exact. Recordings
// of several recorders are added up.
//
// The buckets are log-linear: of one nanosecond each up to 64, above that 32 of equal width between
// a power of two and the next. A bucket reaches from above its lower edge to its upper edge
// inclusive, as Prometheus' `le` has it, and every power of two is an edge. Durations above kMost
// are counted in the last bucket; sum and maximum have them as they were.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace qdiscsim {

struct LatencyBuckets {
  static constexpr unsigned kBits = 5;  // 2^5 buckets between two powers of two
  static constexpr std::size_t kCount = 1024;
  static constexpr Nanoseconds kMost = Nanoseconds{1} << 36U;  // 68.7 s

  static constexpr std::size_t index(Nanoseconds value) noexcept {
    const Nanoseconds before = (value == 0 ? 0 : value > kMost ? kMost : value) - (value != 0);
    const auto width = static_cast<unsigned>(std::bit_width(before));
    const unsigned shift = width > kBits + 1 ? width - (kBits + 1) : 0;
    return (std::size_t{shift} << kBits) + static_cast<std::size_t>(before >> shift);
  }
  // Values of bucket i: above lower(i), at most upper(i); the first also has 0.
  static constexpr Nanoseconds lower(std::size_t i) noexcept { return i == 0 ? 0 : upper(i - 1); }
  static constexpr Nanoseconds upper(std::size_t i) noexcept {
    const std::size_t octave = i >> kBits;
    const std::size_t shift = octave > 1 ? octave - 1 : 0;
    return (i - (shift << kBits) + 1) << shift;
  }
};

struct Recording {
  std::vector<std::uint64_t> buckets;  // LatencyBuckets::kCount, or none while count is 0
  std::uint64_t count = 0;
  Nanoseconds sum = 0;
  Nanoseconds max = 0;

  void add(std::size_t bucket, std::uint64_t n);
  void merge(const Recording& other);

  double mean() const noexcept;  // nanoseconds; 0 when nothing was recorded
  // The smallest duration that at least the share q of all is not above, to 1/64; 0 < q <= 1. 0
  // when nothing was recorded.
  Nanoseconds quantile(double q) const noexcept;
  // How many lasted at most `edge`. Exact for an upper edge of a bucket, such as a power of two.
  std::uint64_t at_most(Nanoseconds edge) const noexcept;
};

}  // namespace qdiscsim
