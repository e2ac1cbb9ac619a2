#include "text/units.h"

#include <fmt/format.h>

#include <array>

namespace qdiscsim {
namespace {

std::string scaled(double value, const std::array<const char*, 4>& units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace

std::string format_packet_rate(double pps) {
  return scaled(pps, {"pps", "kpps", "Mpps", "Gpps"});
}

std::string format_bit_rate(double bits_per_second) {
  return scaled(bits_per_second, {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"});
}

// A drop must not look like none: what is above 0 never shows as 0.0%.
std::string format_percent(double ratio) {
  if (ratio > 0 && ratio < 0.0005) return "<0.1%";
  return fmt::format("{:.1f}%", ratio * 100);
}

std::string format_duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

std::string format_count(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string count_of(std::uint64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

}  // namespace qdiscsim
