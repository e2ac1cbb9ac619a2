// PagePoolTeardown: the end of a page_pool whose pages may still be out. As in the kernel the pool
// waits for them: it tries once a second, and says once a minute that it is stalled.
//
// Time is handed in, in nanoseconds of any clock that does not go back. Threads: one at a time, the
// owner of the pool (PagePool::destroy). Nothing is logged here: a step's warnings are for the log.
// Errors: none. Source: linux net/core/page_pool.c, page_pool_destroy(), page_pool_release_retry(),
// page_pool_inflight().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/kernel_version.h"

namespace qdiscsim {

// The text of the stalled-shutdown warning; id is not in that of 6.1.
inline std::string stalled_text(KernelVersion kernel, std::uint32_t id, std::int64_t inflight,
                                Nanoseconds since) {
  const std::string which =
      kernel == KernelVersion::k6_1 ? " " : ": id " + std::to_string(id) + ", ";
  return "page_pool_release_retry() stalled pool shutdown" + which + std::to_string(inflight) +
         " inflight " + std::to_string(since / kSecond) + " sec";
}

enum class TeardownState : std::uint8_t {
  kInUse,    // not begun, or begun while another user has the pool
  kWaiting,  // pages are out: retry() at next()
  kFreed,    // nothing is out; the pool may go
  kLeaked,   // a page came home twice: the pool is never freed and never looked at again
};

template <class Pool>
class PagePoolTeardown {
 public:
  static constexpr Nanoseconds kRetry = kSecond;
  static constexpr Nanoseconds kWarnEvery = 60 * kSecond;

  // The pool must outlive the teardown. has_netdev: a network device still shows the pool to its
  // users; newer kernels then do not warn.
  PagePoolTeardown(Pool& pool, std::uint32_t id, KernelVersion kernel, bool has_netdev = false)
      : pool_{pool},
        id_{id},
        kernel_{kernel},
        warns_{kernel == KernelVersion::k6_1 || !has_netdev} {}

  // One more user of the pool, beside the one who made it: destroy() must be called once for each.
  void add_user() noexcept { ++users_; }

  // The last user's call begins the end. Returns warnings.
  std::vector<std::string> destroy(Nanoseconds now) {
    if (state_ != TeardownState::kInUse || --users_ > 0) return {};
    started_ = now;
    warn_at_ = now + kWarnEvery;
    return attempt(now);
  }

  // Does nothing before next(). Returns warnings.
  std::vector<std::string> retry(Nanoseconds now) {
    if (state_ != TeardownState::kWaiting || now < next_) return {};
    return attempt(now);
  }

  TeardownState state() const noexcept { return state_; }
  // When retry() is due; without a value when it is not waiting.
  std::optional<Nanoseconds> next() const noexcept {
    return state_ == TeardownState::kWaiting ? std::optional{next_} : std::nullopt;
  }
  // When destroy() took effect, which is the detach-time that netlink shows; none before.
  std::optional<Nanoseconds> detached_at() const noexcept { return started_; }

 private:
  std::vector<std::string> attempt(Nanoseconds now) {
    std::vector<std::string> warnings;
    const std::uint32_t violations = pool_.refcount_violations();
    const std::int32_t inflight = pool_.destroy();
    if (pool_.refcount_violations() != violations) {
      warnings.push_back("page_pool_empty_ring() page_pool refcnt " +
                         std::to_string(pool_.last_violation()) + " violation");
    }
    if (inflight == 0) {
      state_ = TeardownState::kFreed;
    } else if (inflight < 0) {
      state_ = TeardownState::kLeaked;
      warnings.push_back("Negative(" + std::to_string(inflight) + ") inflight packet-pages");
    } else {
      state_ = TeardownState::kWaiting;
      next_ = now + kRetry;
      if (now >= warn_at_ && warns_) {
        warnings.push_back(stalled_text(kernel_, id_, inflight, now - *started_));
        warn_at_ = now + kWarnEvery;
      }
    }
    return warnings;
  }

  Pool& pool_;
  const std::uint32_t id_;
  const KernelVersion kernel_;
  const bool warns_;
  std::uint32_t users_ = 1;
  TeardownState state_ = TeardownState::kInUse;
  std::optional<Nanoseconds> started_;
  Nanoseconds next_ = 0;
  Nanoseconds warn_at_ = 0;
};

}  // namespace qdiscsim
