// LatencyRecorder: counts durations in log-linear buckets (recording.h). Of fixed size, 8 KiB, and
// never allocates while it records; read by any thread at any time.
//
// Threads: Writers::kOne, one at a time: a thread, or whoever holds a lock or the run state, which
// hands the counters over with all else. Writers::kMany: any, each value by locked additions, for
// samples that many threads take. Relaxed throughout: among running writers a reading may have a
// value in its bucket and not yet in sum and max.
#pragma once

#include <array>
#include <cstdint>

#include "base/cacheline.h"
#include "base/recording.h"
#include "base/smp.h"

namespace qdiscsim {

enum class Writers : std::uint8_t { kOne, kMany };

template <class Smp, Writers kWriters = Writers::kOne>
class alignas(kCacheLine) LatencyRecorder {
 public:
  void record(Nanoseconds value) noexcept {
    raise(value);
    add(sum_, value);
    add(buckets_[LatencyBuckets::index(value)], 1);
  }

  Recording read() const {
    Recording out;
    for (std::size_t i = 0; i < buckets_.size(); ++i) out.add(i, buckets_[i].load(smp::relaxed));
    out.sum = sum_.load(smp::relaxed);
    out.max = max_.load(smp::relaxed);
    return out;
  }

 private:
  using Cell = typename Smp::template atomic<std::uint64_t>;

  static void add(Cell& cell, std::uint64_t n) noexcept {
    if constexpr (kWriters == Writers::kOne) {
      cell.store(cell.load(smp::relaxed) + n, smp::relaxed);
    } else {
      cell.fetch_add(n, smp::relaxed);
    }
  }
  void raise(Nanoseconds value) noexcept {
    std::uint64_t most = max_.load(smp::relaxed);
    if constexpr (kWriters == Writers::kOne) {
      if (value > most) max_.store(value, smp::relaxed);
    } else {
      while (value > most && !max_.compare_exchange(most, value, smp::relaxed, smp::relaxed)) {
      }
    }
  }

  Cell sum_{};
  Cell max_{};
  std::array<Cell, LatencyBuckets::kCount> buckets_{};
};

}  // namespace qdiscsim
