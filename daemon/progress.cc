#include "daemon/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "daemon/logging.h"
#include "text/units.h"

namespace qdiscsim {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kWipe = "\r\033[K";
constexpr std::size_t kUnknownWidth = 80;

// Always the same number of digits, so that the line does not shiver.
std::string steady_packet_rate(double pps) {
  if (pps >= 1e5) return fmt::format("{:.3f} Mpps", pps / 1e6);
  if (pps >= 1e3) return fmt::format("{:.2f} kpps", pps / 1e3);
  return fmt::format("{:.0f} pps", pps);
}

std::string backlog_of(const Snapshot& snapshot) {
  std::array<std::uint64_t, kBands> backlog{};
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      for (std::size_t i = 0; i < kBands; ++i) backlog[i] += queue.bands[i].backlog_packets;
    }
  }
  static_assert(kBands == 3);
  return fmt::format("backlog {}/{}/{}", backlog[0], backlog[1], backlog[2]);
}

std::string lag_of(const Snapshot& snapshot) {
  double lag = 0;
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    lag = std::max(lag, generator.behind_seconds);
  }
  return "lag " + format_duration(lag);
}

std::string band_drops(const DeviceRates& rates) {
  std::string text = "drops";
  for (std::size_t i = 0; i < kBands; ++i) {
    text += fmt::format(" b{} {}", i, format_percent(rates.band_drop_ratio[i]));
  }
  return text;
}

struct Total {
  double delivered_pps = 0;
  double offered_pps = 0;
  double dropped_pps = 0;
  std::string_view worst;
  double worst_ratio = 0;
};

Total total_of(const Snapshot& snapshot, const RateWindow& window) {
  Total total;
  for (const DeviceSnapshot& device : snapshot.devices) {
    const DeviceRates rates = window.device(device.name);
    total.delivered_pps += rates.delivered_pps;
    total.offered_pps += rates.offered_pps;
    total.dropped_pps += rates.dropped_pps;
    if (rates.drop_ratio > total.worst_ratio) {
      total.worst = device.name;
      total.worst_ratio = rates.drop_ratio;
    }
  }
  return total;
}

std::string total_drops(const Total& total) {
  const double ratio =
      total.offered_pps > 0 ? std::min(total.dropped_pps / total.offered_pps, 1.0) : 0;
  std::string text = "drops " + format_percent(ratio);
  if (total.worst_ratio > 0) {
    text += fmt::format(" (worst {} {})", total.worst, format_percent(total.worst_ratio));
  }
  return text;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUnknownWidth;
  return size.ws_col;
}

bool terminal_can_rewrite() {
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && term != nullptr &&
         std::string_view{term} != "dumb";
}

}  // namespace

std::string format_progress(const Snapshot& snapshot, const RateWindow& rates, std::size_t width) {
  std::vector<std::string> parts;
  const Total total = total_of(snapshot, rates);
  if (snapshot.devices.size() == 1) {
    parts.push_back(snapshot.devices[0].name);
  } else {
    parts.push_back(count_of(snapshot.devices.size(), "device"));
  }
  parts.push_back(steady_packet_rate(total.delivered_pps));
  parts.push_back("offered " + steady_packet_rate(total.offered_pps));
  parts.push_back(snapshot.devices.size() == 1 ? band_drops(rates.device(snapshot.devices[0].name))
                                               : total_drops(total));
  parts.push_back(backlog_of(snapshot));
  parts.push_back(lag_of(snapshot));

  std::string line;
  for (const std::string& part : parts) {
    const std::size_t gap = line.empty() ? 0 : kGap.size();
    if (line.size() + gap + part.size() > width) break;
    if (gap > 0) line += kGap;
    line += part;
  }
  return line;
}

ProgressLine::ProgressLine(bool wanted) : enabled_{wanted && terminal_can_rewrite()} {}

void ProgressLine::show(const Snapshot& snapshot) {
  if (!enabled_) return;
  rates_.push(snapshot);
  show(format_progress(snapshot, rates_, terminal_width() - 1));
}

void ProgressLine::show(std::string text) {
  if (!enabled_) return;
  // The last column stays free: some terminals wrap when it is written.
  text.resize(std::min(text.size(), terminal_width() - 1));
  if (!stderr_takes_more(std::chrono::milliseconds{0})) return;
  std::fprintf(stderr, "%s%s", kWipe.data(), text.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void ProgressLine::clear() {
  if (!visible_) return;
  if (!stderr_takes_more(std::chrono::milliseconds{0})) return;
  std::fputs(kWipe.data(), stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace qdiscsim
