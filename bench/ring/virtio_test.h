// virtio_test: the kernel's tool of that name as a deterministic run on one thread.
//
// The tool's driver and the vhost-test module run on two CPUs. Here both are actors that take
// turns. A turn is one exchange with the shared ring:
//   driver  add a buffer; decide and kick; look for a used buffer
//   host    (turn notifications on and off;) take a buffer; give it back, decide and signal
// Who is next, the schedule says:
//   kCoin      a seeded coin: any interleaving of these calls occurs
//   kLockstep  a host that keeps up with its driver, which adds one buffer in each of the host's
//              cycles, right before the host takes one: between the host's two looks at the index
// so instruction counts repeat exactly. A kick goes through an eventfd and a work list
// (ring/notifier.h), as with vhost. driver_turn() and host_turn() stay functions of their own, so
// that a profiler can tell the two CPUs apart.
// Source of the loops: linux tools/virtio/virtio_test.c and drivers/vhost/test.c.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/prng.h"
#include "base/smp_native.h"
#include "bench/ring/params.h"
#include "bench/ring/threads.h"
#include "ring/guest_memory.h"
#include "ring/notifier.h"
#include "ring/vring_driver.h"
#include "ring/vring_host.h"

namespace qdiscsim::ring_bench {

enum class VirtioSchedule : std::uint8_t { kCoin, kLockstep };

template <class CacheAvail, VirtioSchedule kSchedule = VirtioSchedule::kCoin>
class VirtioTest {
 public:
  explicit VirtioTest(const Params& params)
      : params_{params}, coin_{params.seed}, batches_{params.seed + 1}, batch_{params.batch} {
    kick_.attach(poll_);
    make_ring();
  }

  Outcome run() {
    Outcome outcome;
    RunControl control{params_};
    control.start();
    std::uint64_t turns = 0;
    while (!finished_ && error_.empty()) {
      const bool driver_can = !asleep_ || call_.pending();
      const bool host_can = host_busy_ || !work_.empty();
      if (!driver_can && !host_can) {
        error_ = "driver and host both sleep: a notification was lost";
      } else if (driver_can && (!host_can || driver_is_next())) {
        driver_turn();
      } else {
        host_turn();
      }
      if (++turns % 65536 == 0 && control.expired()) error_ = control.time_limit_text();
    }
    outcome.seconds = static_cast<double>(RunControl::Clock::now() - control.started()) / 1e9;
    outcome.items = completed_;
    outcome.error = error_;
    add_reads();
    const auto per_buffer = [&](std::uint64_t n) {
      return completed_ == 0 ? 0.0 : static_cast<double>(n) / static_cast<double>(completed_);
    };
    outcome.figures = {{"spurious wake-ups", static_cast<double>(spurious_)},
                       {"kicks/buffer", per_buffer(kicks_)},
                       {"signals/buffer", per_buffer(signals_)},
                       {"avail idx reads/buffer", per_buffer(reads_)},
                       {"host runs/buffer", per_buffer(host_runs_)},
                       {"resets", static_cast<double>(resets_)}};
    return outcome;
  }

 private:
  using Smp = smp::Native;
  static constexpr GuestAddress kRingAt = 0x10'0000;
  static constexpr GuestAddress kBufferAt = 0x4000'0000;
  static constexpr std::uint32_t kBufferBytes = 1024;

  // The kick's eventfd calls this, as vhost's poll does: the host has work.
  class Poll final : public EventCounter<Smp>::Waiter {
   public:
    explicit Poll(VirtioTest& test) noexcept : test_{test} {}
    void wake() noexcept override { test_.work_.queue(test_.handle_); }

   private:
    VirtioTest& test_;
  };
  class Handle final : public WorkList<Smp>::Work {
   public:
    explicit Handle(VirtioTest& test) noexcept : test_{test} {}
    void run() noexcept override { test_.begin_host_run(); }

   private:
    VirtioTest& test_;
  };

  enum class DriverAt : std::uint8_t { kRound, kFill, kKick, kReap, kReset, kWake };
  enum class HostAt : std::uint8_t { kToggle, kTake, kGive };

  bool driver_is_next() noexcept {
    if constexpr (kSchedule == VirtioSchedule::kCoin) return toss();
    // An add and its kick are one step of the driver's.
    if (at_ == DriverAt::kKick) return true;
    const bool due = host_busy_ && host_at_ == HostAt::kTake && !stepped_;
    stepped_ = due;
    return due;
  }

  bool toss() noexcept {
    if (tosses_ <= 1) tosses_ = coin_.next() | 1ULL << 63U;
    const bool heads = (tosses_ & 1U) != 0;
    tosses_ >>= 1U;
    return heads;
  }

  void make_ring() {
    add_reads();
    host_.reset();
    driver_.reset();
    ring_.emplace(params_.size, params_.event_index);
    memory_ = GuestMemory{};
    const bool mapped =
        memory_.add({kRingAt, ring_->bytes(), ring_->data(), GuestAccess::kReadWrite}) &&
        memory_.add({kBufferAt, kBufferBytes, buffer_.data(), GuestAccess::kReadWrite});
    driver_.emplace(*ring_);
    host_.emplace(*ring_, memory_, kRingAt);
    if (!mapped || !host_->attach()) error_ = "the guest memory does not hold the ring";
    host_busy_ = false;
  }

  void add_reads() noexcept {
    if (host_.has_value()) reads_ += host_->counters().avail_index_reads;
  }

  // ---- the driver ----

  [[gnu::noinline]] void driver_turn() {
    switch (at_) {
      case DriverAt::kRound:
        driver_->disable_callbacks();
        completed_before_ = completed_;
        started_before_ = started_;
        next_batch();
        at_ = DriverAt::kFill;
        [[fallthrough]];
      case DriverAt::kFill:
        return fill();
      case DriverAt::kKick:
        if (driver_->kick_prepare()) {
          ++kicks_;
          kick_.signal();
        }
        at_ = DriverAt::kFill;
        return;
      case DriverAt::kReap:
        return reap();
      case DriverAt::kReset:
        return reset();
      case DriverAt::kWake:
        asleep_ = false;
        call_.take();
        at_ = DriverAt::kRound;
        return;
    }
  }

  void next_batch() noexcept {
    if (params_.batch != 0) return;
    batch_ = 1 + batches_.below(static_cast<std::uint32_t>(params_.size));
  }

  void fill() {
    if (started_ < params_.count && started_ - completed_ < batch_) {
      if (driver_->add_out({kBufferAt, kBufferBytes}, buffer_.data())) {
        ++started_;
        go_on_ = true;
        at_ = DriverAt::kKick;
        return;
      }
      go_on_ = started_ > started_before_;
    }
    if (started_ >= params_.count) go_on_ = false;
    at_ = DriverAt::kReap;
    reap();
  }

  void reap() {
    if (driver_->get_used() != nullptr) {
      ++completed_;
      go_on_ = true;
      return;
    }
    if (params_.reset_every != 0 && completed_ >= next_reset()) {
      at_ = DriverAt::kReset;
    } else if (go_on_ && completed_ < params_.count) {
      next_batch();
      at_ = DriverAt::kFill;
    } else {
      rest();
    }
  }

  void rest() {
    if (completed_ == completed_before_ && started_ == started_before_) ++spurious_;
    if (completed_ == params_.count) {
      finished_ = true;
      return;
    }
    const bool idle =
        params_.delayed ? driver_->enable_callbacks_delayed() : driver_->enable_callbacks();
    asleep_ = idle;
    at_ = idle ? DriverAt::kWake : DriverAt::kRound;
  }

  std::uint64_t next_reset() const noexcept { return (resets_ + 1) * params_.reset_every; }

  // The backend is stopped between two of the host's turns, as under the queue's mutex; what it has
  // not given back starts again on the new ring.
  void reset() {
    while (driver_->get_used() != nullptr) ++completed_;
    make_ring();
    started_ = completed_;
    while (next_reset() <= completed_) ++resets_;
    go_on_ = false;
    at_ = DriverAt::kRound;
    if (completed_ == params_.count) finished_ = true;
  }

  // ---- the host ----

  [[gnu::noinline]] void host_turn() {
    if (!host_busy_) {
      work_.run_all();
      return;
    }
    switch (host_at_) {
      case HostAt::kToggle:
        // Every cycle, whatever it says: the loop takes the next buffer anyway.
        static_cast<void>(host_->enable_notify());
        host_->disable_notify();
        host_at_ = HostAt::kTake;
        return;
      case HostAt::kTake:
        return take();
      case HostAt::kGive:
        host_->add_used(taken_.head, 0);
        if (host_->signal_prepare()) {
          ++signals_;
          call_.signal();
        }
        host_at_ = params_.notify_always ? HostAt::kToggle : HostAt::kTake;
        return;
    }
  }

  void begin_host_run() noexcept {
    ++host_runs_;
    host_busy_ = true;
    host_->disable_notify();
    host_at_ = params_.notify_always ? HostAt::kToggle : HostAt::kTake;
  }

  void take() {
    switch (host_->take(taken_)) {
      case VringTake::kBuffer:
        if (taken_.in != 0 || taken_.out != 1 || taken_.pieces[0].length != kBufferBytes) {
          error_ = "the host got another buffer than the driver gave";
        }
        host_at_ = HostAt::kGive;
        return;
      case VringTake::kEmpty:
        if (host_->enable_notify()) {
          host_->disable_notify();
          host_at_ = params_.notify_always ? HostAt::kToggle : HostAt::kTake;
        } else {
          host_busy_ = false;
        }
        return;
      case VringTake::kBroken:
        error_ = "the host found the ring broken";
        return;
    }
  }

  const Params& params_;
  Prng coin_;
  Prng batches_;
  std::uint64_t tosses_ = 0;

  std::optional<Vring<Smp>> ring_;
  GuestMemory memory_;
  std::array<std::byte, kBufferBytes> buffer_{};
  std::optional<VringDriver<Smp>> driver_;
  std::optional<VringHost<Smp, CacheAvail>> host_;
  EventCounter<Smp> kick_;
  EventCounter<Smp> call_;
  WorkList<Smp> work_;
  Poll poll_{*this};
  Handle handle_{*this};

  DriverAt at_ = DriverAt::kRound;
  bool go_on_ = false;
  bool asleep_ = false;
  bool stepped_ = false;  // lockstep: the driver had its step of this host cycle
  bool finished_ = false;
  std::uint64_t batch_;
  std::uint64_t started_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t started_before_ = 0;
  std::uint64_t completed_before_ = 0;

  HostAt host_at_ = HostAt::kTake;
  bool host_busy_ = false;
  VringBuffer taken_;

  std::uint64_t spurious_ = 0;
  std::uint64_t kicks_ = 0;
  std::uint64_t signals_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t host_runs_ = 0;
  std::uint64_t resets_ = 0;
  std::string error_;
};

}  // namespace qdiscsim::ring_bench
