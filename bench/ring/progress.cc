#include "bench/ring/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace qdiscsim::ring_bench {
namespace {

constexpr std::string_view kWipe = "\r\033[K";
constexpr std::size_t kBar = 20;
constexpr std::size_t kUnknownWidth = 80;

std::string seconds(double value) {
  const auto whole = static_cast<long>(std::ceil(value));
  if (whole < 120) return fmt::format("{} s", whole);
  return fmt::format("{} min", (whole + 59) / 60);
}

// Runs that are done, the warm-up left out.
double done_runs(const Step& step) {
  if (step.round == 0) return 0;
  return static_cast<double>((step.round - 1) * step.runs_a_round + step.run);
}

std::string bar(double share) {
  const auto full =
      static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(kBar));
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "]";
}

std::string time_left(const Position& at) {
  const double done = done_runs(at.step);
  if (done < 1) return "";
  const double elapsed = static_cast<double>(at.elapsed) / 1e9;
  const bool beyond = at.step.round > at.least_rounds;
  const std::size_t rounds = beyond ? at.most_rounds : at.least_rounds;
  const double all = static_cast<double>(rounds * at.step.runs_a_round);
  double left = elapsed / done * std::max(all - done, 0.0);
  if (!beyond) return "about " + seconds(left) + " left";
  left = std::min(left, std::max(static_cast<double>(at.most_time) / 1e9 - elapsed, 0.0));
  return "at most " + seconds(left) + " left";
}

}  // namespace

std::string format_progress(const Position& at, std::size_t width) {
  const double least = static_cast<double>(at.least_rounds * at.step.runs_a_round);
  std::string round = "warm-up";
  if (at.step.round > at.least_rounds) {
    round = fmt::format("round {} of at most {}", at.step.round, at.most_rounds);
  } else if (at.step.round > 0) {
    round = fmt::format("round {} of at least {}", at.step.round, at.least_rounds);
  }
  if (at.step.name != nullptr) round += ", " + *at.step.name;

  std::string line;
  for (const std::string& part :
       {bar(least > 0 ? done_runs(at.step) / least : 0), round, time_left(at), at.setting}) {
    if (part.empty()) continue;
    const std::size_t gap = line.empty() ? 0 : 2;
    if (line.size() + gap + part.size() > width) break;
    line += std::string(gap, ' ') + part;
  }
  return line;
}

Progress::Progress(bool wanted) {
  const char* term = std::getenv("TERM");
  enabled_ =
      wanted && isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view{term} != "dumb";
}

void Progress::show(const Position& position) {
  if (!enabled_) return;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // The last column stays free: some terminals wrap when it is written.
  const std::string line = format_progress(position, (known ? size.ws_col : kUnknownWidth) - 1);
  std::fprintf(stderr, "%s%s", kWipe.data(), line.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (!visible_) return;
  std::fputs(kWipe.data(), stderr);
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace qdiscsim::ring_bench
