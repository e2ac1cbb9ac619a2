// The statistics of a comparison: few, distribution-free, and on the cautious side. Distribution
// functions come from Boost.Math. Pure functions; samples may come in any order and are taken by
// value where they must be sorted. An empty sample is the caller's mistake.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace qdiscsim::ring_bench {

double median(std::vector<double> values);

// Median absolute deviation, unscaled: half of the values lie within this of the median.
double mad(const std::vector<double>& values);

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const noexcept { return low <= value && value <= high; }
};

// A confidence interval of the median from order statistics (sign test inverted): the r-th smallest
// and r-th largest value, r as large as Binomial(n, 1/2) allows while the coverage stays at least
// `confidence`. Holds for any continuous distribution, needs no random numbers. Fewer than 6 values
// cannot reach 95 %: then it is the whole line.
Interval median_interval(std::vector<double> values, double confidence = 0.95);

struct MannWhitney {
  double u = 0;      // pairs (a, b) with b > a, ties as a half
  double p = 1;      // two-sided
  double delta = 0;  // Cliff's delta: P(b > a) - P(b < a), -1 .. 1
};

// Normal approximation with continuity and tie correction. For 9 values against 9, fully apart, it
// says 0.0004 where the exact test says 0.00004: it errs on the side of "no difference".
MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b);

// Holm's step-down correction for several tests at once, in the order given. Never smaller than the
// value itself, never above 1.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace qdiscsim::ring_bench
