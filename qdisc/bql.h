// Byte queue limits: how many bytes may wait in the driver's ring before the stack stops sending to
// it. The limit grows when the link ran dry while the stack was held back, and shrinks by the least
// slack seen over a hold time.
//
// Guarded by the tx queue's lock, except available(), a hint for anyone.
// Source: the dynamic queue limit algorithm of Tom Herbert (Linux 3.3), lib/dynamic_queue_limits.c.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/smp.h"

namespace qdiscsim {

template <class Smp>
class Bql {
 public:
  static constexpr std::uint32_t kMaxLimit = 1'879'048'192;  // bytes, the kernel's DQL_MAX_LIMIT
  static constexpr Nanoseconds kHoldTime = kSecond;

  // Bytes. A zero max_limit switches the limit off: available() is then always 0 and never
  // negative.
  Bql(std::uint32_t min_limit, std::uint32_t max_limit) noexcept
      : min_limit_{min_limit}, max_limit_{max_limit}, limit_{min_limit} {
    set_allowance(min_limit);
  }

  bool enabled() const noexcept { return max_limit_ != 0; }

  // Bytes that may still be queued; below zero the stack has to stop.
  std::int64_t available() const noexcept {
    if (!enabled()) return 0;
    return allowance_.load(smp::relaxed) - queued_.load(smp::relaxed);
  }

  void queued(std::uint32_t bytes) noexcept {
    last_queued_ = bytes;
    queued_.store(queued_.load(smp::relaxed) + bytes, smp::relaxed);
  }

  // bytes left the link, at time now.
  void completed(std::uint32_t bytes, Nanoseconds now) noexcept {
    const std::int64_t queued = queued_.load(smp::relaxed);
    const std::int64_t done = completed_ + bytes;
    const std::int64_t in_progress = queued - done;
    const std::int64_t was_in_progress = queued_at_last_completion_ - completed_;
    const bool all_previous_done = done >= queued_at_last_completion_;
    std::int64_t over_limit = positive(queued - completed_ - limit_);

    std::int64_t limit = limit_;
    if ((over_limit > 0 && in_progress == 0) || (over_limit_before_ > 0 && all_previous_done)) {
      // The link ran dry while the stack was stopped at the limit: allow what was missing.
      limit += positive(done - queued_at_last_completion_) + over_limit_before_;
      restart_slack(now);
    } else if (in_progress > 0 && was_in_progress > 0 && !all_previous_done) {
      // The link was busy throughout. Slack: what the limit could have been lower by.
      const std::int64_t slack =
          std::max(positive(limit + over_limit_before_ - 2 * (done - completed_)),
                   over_limit_before_ > 0 ? positive(last_queued_before_ - over_limit_before_) : 0);
      least_slack_ = std::min(least_slack_, slack);
      if (now > slack_since_ + kHoldTime) {
        limit = positive(limit - least_slack_);
        restart_slack(now);
      }
    }
    limit = std::clamp<std::int64_t>(limit, min_limit_, max_limit_);
    if (limit != limit_) {
      limit_ = limit;
      over_limit = 0;
    }
    over_limit_before_ = over_limit;
    last_queued_before_ = last_queued_;
    completed_ = done;
    queued_at_last_completion_ = queued;
    set_allowance(limit_ + completed_);
    published_completed_.store(completed_, smp::relaxed);
  }

  // As the kernel shows them: switched off, they are those of a driver that never set a limit.
  std::uint64_t min_limit_bytes() const noexcept { return static_cast<std::uint64_t>(min_limit_); }
  std::uint64_t max_limit_bytes() const noexcept {
    return enabled() ? static_cast<std::uint64_t>(max_limit_) : kMaxLimit;
  }
  std::uint64_t limit_bytes() const noexcept {
    return static_cast<std::uint64_t>(
        positive(allowance_.load(smp::relaxed) - published_completed_.load(smp::relaxed)));
  }
  std::uint64_t inflight_bytes() const noexcept {
    return static_cast<std::uint64_t>(
        positive(queued_.load(smp::relaxed) - published_completed_.load(smp::relaxed)));
  }

 private:
  static constexpr std::int64_t positive(std::int64_t value) noexcept {
    return std::max<std::int64_t>(value, 0);
  }
  void restart_slack(Nanoseconds now) noexcept {
    slack_since_ = now;
    least_slack_ = INT64_MAX;
  }
  void set_allowance(std::int64_t bytes) noexcept { allowance_.store(bytes, smp::relaxed); }

  std::int64_t min_limit_;
  std::int64_t max_limit_;
  std::int64_t limit_;
  std::int64_t completed_ = 0;  // total bytes, as are queued_ and allowance_: 2^63 never wraps
  std::int64_t queued_at_last_completion_ = 0;
  std::int64_t over_limit_before_ = 0;
  std::int64_t last_queued_ = 0;
  std::int64_t last_queued_before_ = 0;
  std::int64_t least_slack_ = INT64_MAX;
  Nanoseconds slack_since_ = 0;

  // Written under the lock, read by anyone.
  typename Smp::template atomic<std::int64_t> queued_{};
  typename Smp::template atomic<std::int64_t> allowance_{};  // limit + completed
  typename Smp::template atomic<std::int64_t> published_completed_{};
};

}  // namespace qdiscsim
