#include "bench/ring/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace qdiscsim::ring_bench {
namespace {

// Midranks (1-based) of all values, and the sum of t^3 - t over groups of t equal values.
struct Ranks {
  std::vector<double> of;  // as the values were given
  double ties = 0;
};

Ranks rank(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Ranks ranks;
  ranks.of.resize(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double middle = (static_cast<double>(first + 1) + static_cast<double>(end)) / 2;
    for (std::size_t i = first; i < end; ++i) ranks.of[order[i]] = middle;
    const auto equal = static_cast<double>(end - first);
    ranks.ties += equal * equal * equal - equal;
    first = end;
  }
  return ranks;
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : std::midpoint(values[half - 1], values[half]);
}

double mad(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> away;
  away.reserve(values.size());
  for (const double value : values) away.push_back(std::abs(value - middle));
  return median(std::move(away));
}

Interval median_interval(std::vector<double> values, double confidence) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::sort(values.begin(), values.end());
  const boost::math::binomial heads{static_cast<double>(values.size()), 0.5};
  const double tail = (1 - confidence) / 2;
  // r: how many values may be left out on each side. The median is below the r-th smallest value
  // (0-based) when at most r values are below it.
  std::size_t left_out = 0;
  while (2 * (left_out + 1) < values.size() &&
         boost::math::cdf(heads, static_cast<double>(left_out)) <= tail) {
    ++left_out;
  }
  if (left_out == 0) return {-kInfinity, kInfinity};
  return {values[left_out - 1], values[values.size() - left_out]};
}

MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all{a.begin(), a.end()};
  all.insert(all.end(), b.begin(), b.end());
  const Ranks ranks = rank(all);
  const auto in_a = static_cast<double>(a.size());
  const auto in_b = static_cast<double>(b.size());
  const double n = in_a + in_b;
  const auto first_b = ranks.of.begin() + static_cast<std::ptrdiff_t>(a.size());

  MannWhitney result;
  result.u = std::accumulate(first_b, ranks.of.end(), 0.0) - in_b * (in_b + 1) / 2;
  result.delta = 2 * result.u / (in_a * in_b) - 1;
  const double variance = in_a * in_b / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
  const double away = std::abs(result.u - in_a * in_b / 2) - 0.5;
  if (variance > 0 && away > 0) {
    const boost::math::normal normal;
    result.p = 2 * boost::math::cdf(boost::math::complement(normal, away / std::sqrt(variance)));
  }
  return result;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    corrected[order[i]] = least;
  }
  return corrected;
}

}  // namespace qdiscsim::ring_bench
