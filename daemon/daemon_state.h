// The few facts about the daemon itself that its threads share: whether it is ready, how the last
// reload ended, and the configuration in force. Written by the control thread, read by the HTTP
// thread; every member is atomic on its own, and no two of them need to agree.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/clock.h"

namespace qdiscsim {

enum class Phase : std::uint8_t { kStarting, kReady, kStopping };

class DaemonState {
 public:
  Phase phase() const noexcept { return phase_.load(std::memory_order_relaxed); }
  void set_phase(Phase phase) noexcept { phase_.store(phase, std::memory_order_relaxed); }

  // The configuration that the daemon started with was applied. Seconds since 1970, and the same
  // moment on the monotonic clock (base/clock.h).
  void started(double now, Nanoseconds at) noexcept {
    last_success_at_.store(now, std::memory_order_relaxed);
    started_at_.store(at, std::memory_order_relaxed);
  }
  // Since started(); 0 before it.
  Nanoseconds uptime(Nanoseconds now) const noexcept {
    const Nanoseconds at = started_at_.load(std::memory_order_relaxed);
    return at == 0 || now < at ? 0 : now - at;
  }
  void reload_succeeded(double now) noexcept {
    successes_.fetch_add(1, std::memory_order_relaxed);
    last_ok_.store(true, std::memory_order_relaxed);
    last_success_at_.store(now, std::memory_order_relaxed);
  }
  void reload_failed() noexcept {
    failures_.fetch_add(1, std::memory_order_relaxed);
    last_ok_.store(false, std::memory_order_relaxed);
  }

  // Changes through the UNIX socket that the next reload takes back.
  std::uint64_t changes() const noexcept { return changes_.load(std::memory_order_relaxed); }
  void set_changes(std::uint64_t changes) noexcept {
    changes_.store(changes, std::memory_order_relaxed);
  }

  bool last_reload_ok() const noexcept { return last_ok_.load(std::memory_order_relaxed); }
  double last_success_at() const noexcept {
    return last_success_at_.load(std::memory_order_relaxed);
  }
  std::uint64_t reload_successes() const noexcept {
    return successes_.load(std::memory_order_relaxed);
  }
  std::uint64_t reload_failures() const noexcept {
    return failures_.load(std::memory_order_relaxed);
  }

  // As YAML (config/print.h).
  std::string config() const {
    const std::lock_guard guard{mutex_};
    return config_;
  }
  void set_config(std::string yaml) {
    const std::lock_guard guard{mutex_};
    config_ = std::move(yaml);
  }

 private:
  std::atomic<Phase> phase_{Phase::kStarting};
  std::atomic<bool> last_ok_{true};
  std::atomic<double> last_success_at_{0};
  std::atomic<Nanoseconds> started_at_{0};
  std::atomic<std::uint64_t> successes_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> changes_{0};
  mutable std::mutex mutex_;
  std::string config_;
};

}  // namespace qdiscsim
