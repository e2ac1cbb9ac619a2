#include "ctl/figures.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace qdiscsim::ctl {

std::string seconds_text(double seconds) {
  if (seconds <= 0) return "0";
  if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 9999) return fmt::format("{:.4g} s", seconds);
  return fmt::format("{:.0f} s", seconds);
}

std::string mpps_text(double pps) {
  return fmt::format("{:.3f}", pps / 1e6);
}

std::string per_second_text(double rate) {
  if (rate < 999.5) return fmt::format("{:.0f}", rate);
  if (rate < 999.95e3) return fmt::format("{:.1f}k", rate / 1e3);
  return fmt::format("{:.3f}M", rate / 1e6);
}

std::string uptime_text(double seconds) {
  const auto all = static_cast<std::uint64_t>(seconds < 0 ? 0 : seconds);
  const std::uint64_t minutes = all / 60;
  const std::uint64_t hours = minutes / 60;
  if (minutes == 0) return fmt::format("{} s", all);
  if (hours == 0) return fmt::format("{} min {:02} s", minutes, all % 60);
  if (hours < 48) return fmt::format("{} h {:02} min", hours, minutes % 60);
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string clock_text(double unix_seconds) {
  const auto whole = static_cast<std::time_t>(unix_seconds);
  std::tm local{};
  localtime_r(&whole, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace qdiscsim::ctl
