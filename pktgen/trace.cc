#include "pktgen/trace.h"

#include <algorithm>

namespace qdiscsim {
namespace {

constexpr std::uint64_t kThousandths = 1000;

}  // namespace

bool Trace::add(Nanoseconds gap, std::uint64_t size, std::uint8_t tos) {
  const Nanoseconds before = duration();
  if (empty()) gap = 0;
  const bool fits = gap <= kLongest - before;
  const auto bytes = std::clamp<std::uint64_t>(size, kLeastSize, kMostSize);
  packets_.emplace_back(fits ? before + gap : kLongest, static_cast<std::uint16_t>(bytes), tos);
  return fits;
}

Nanoseconds Trace::period() const noexcept {
  return size() < 2 ? 0 : duration() + duration() / (size() - 1);
}

Replay::Replay(const ReplayOptions& options) noexcept
    : threads_{options.threads},
      pace_{options.pace},
      loop_{options.loop},
      value_{std::max<std::uint64_t>(options.value, 1)} {
  if (options.trace == nullptr || options.trace->empty()) return;
  trace_ = options.trace.get();
  timed_ = pace_ != ReplayPace::kUnlimited;
  index_ = options.thread;
  if (pace_ == ReplayPace::kRate) base_.add(options.thread * kSecond, value_);
  settle();
}

void Replay::next() noexcept {
  if (ended_) return;
  index_ += threads_;
  if (pace_ == ReplayPace::kRate) base_.add(threads_ * kSecond, value_);
  settle();
}

// With more threads than packets, one step may be several laps.
void Replay::settle() noexcept {
  static_assert(2 * Trace::kLongest < UINT64_MAX / kThousandths - kThousandths);
  while (index_ >= trace_->size()) {
    if (!loop_) {
      ended_ = true;
      return;
    }
    index_ -= trace_->size();
    if (pace_ == ReplayPace::kGaps) base_.add(trace_->period() * kThousandths, value_);
  }
  due_ = base_.whole;
  if (pace_ == ReplayPace::kGaps) due_ += (packet().time() * kThousandths + base_.rest) / value_;
}

std::uint64_t Replay::left(std::uint64_t most) const noexcept {
  if (!active() || loop_) return most;
  if (ended_) return 0;
  return std::min<std::uint64_t>(most, (trace_->size() - index_ + threads_ - 1) / threads_);
}

std::uint64_t Replay::due_by(Nanoseconds since, std::uint64_t most) const noexcept {
  Replay ahead{*this};
  std::uint64_t count = 0;
  for (; count < most && !ahead.ended() && ahead.due() <= since; ++count) ahead.next();
  return count;
}

double mean_rate(const ReplayOptions& options) noexcept {
  if (options.trace == nullptr || options.trace->empty()) return 0;
  const double value = static_cast<double>(options.value) / options.threads;
  if (options.pace == ReplayPace::kRate) return value;
  const Trace& trace = *options.trace;
  if (options.pace == ReplayPace::kUnlimited || trace.period() == 0) return 0;
  const double seconds = static_cast<double>(trace.period()) / kSecond;
  return static_cast<double>(trace.size()) / seconds * value / kThousandths;
}

}  // namespace qdiscsim
