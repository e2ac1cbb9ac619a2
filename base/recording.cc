#include "base/recording.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qdiscsim {

void Recording::add(std::size_t bucket, std::uint64_t n) {
  if (n == 0) return;
  if (buckets.empty()) buckets.resize(LatencyBuckets::kCount);
  buckets[bucket] += n;
  count += n;
}

void Recording::merge(const Recording& other) {
  for (std::size_t i = 0; i < other.buckets.size(); ++i) add(i, other.buckets[i]);
  sum += other.sum;
  max = std::max(max, other.max);
}

double Recording::mean() const noexcept {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

Nanoseconds Recording::quantile(double q) const noexcept {
  if (count == 0) return 0;
  const double wanted = std::ceil(q * static_cast<double>(count));
  const std::uint64_t rank =
      std::clamp<std::uint64_t>(wanted < 1 ? 1 : static_cast<std::uint64_t>(wanted), 1, count);
  // The last one is known exactly.
  if (rank == count) return max;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (seen < rank) continue;
    const Nanoseconds lower = LatencyBuckets::lower(i);
    const Nanoseconds width = LatencyBuckets::upper(i) - lower;
    return std::min(lower + (width + 1) / 2, max);
  }
  return max;
}

std::uint64_t Recording::at_most(Nanoseconds edge) const noexcept {
  if (buckets.empty()) return 0;
  const auto end = static_cast<std::ptrdiff_t>(LatencyBuckets::index(edge)) + 1;
  return std::accumulate(buckets.begin(), buckets.begin() + end, std::uint64_t{0});
}

}  // namespace qdiscsim
