// Workload `ringtest`, after the kernel's tools/virtio/ringtest: a guest hands buffers to a host
// through one ring, and gets them back, used, through a second one of the same kind.
//
// The guest keeps at most `outstanding` buffers under way and adds up to `batch` of them before it
// notifies the host (batch 0: a random number each time). An idle side polls, 64 pauses and a yield
// in turn; or it sleeps until the other one notifies it. Both check that the buffers come in order.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "base/prng.h"
#include "bench/ring/doorbell.h"
#include "bench/ring/workload_flow.h"

namespace qdiscsim::ring_bench {

template <RingAdapter Ring>
class Ringtest {
  using Arrivals = std::conditional_t<Ring::kOrdered, OrderedStream, UnorderedArrivals>;

 public:
  explicit Ringtest(const Params& params)
      : params_{params},
        outstanding_{std::clamp<std::uint64_t>(params.outstanding, 1, params.size)},
        control_{params},
        to_host_{params.size, 1},
        to_guest_{params.size, 1} {
    if (params.outstanding == 0) outstanding_ = params.size;
  }

  Outcome run() {
    Outcome outcome;
    outcome.error = run_together(params_, 2, control_, [this](unsigned who) noexcept {
      if (who == 0) {
        guest();
      } else {
        host();
      }
    });
    if (!outcome.error.empty()) return outcome;
    outcome.items = guest_.buffers;
    outcome.seconds = static_cast<double>(ended_ - control_.started()) / 1e9;
    outcome.figures = {{"kicks", static_cast<double>(guest_.notified)},
                       {"calls", static_cast<double>(host_.notified)}};
    outcome.error = verdict();
    return outcome;
  }

 private:
  static constexpr int kNap = 20;  // milliseconds between two looks at the clock, asleep

  struct alignas(kCacheLine) Side {
    explicit Side() : arrivals{1} {}
    Doorbell bell;  // this side sleeps behind it
    Arrivals arrivals;
    std::uint64_t buffers = 0;   // that arrived here
    std::uint64_t notified = 0;  // times that it woke the other side
    bool wrong = false;
  };

  std::size_t next_batch() noexcept {
    constexpr std::uint32_t kMostAtRandom = 64;
    return params_.batch != 0 ? params_.batch : prng_.between(1, kMostAtRandom);
  }

  void notify(Side& from, Side& to) noexcept {
    if (params_.sleep && to.bell.ring()) ++from.notified;
  }

  // Items from `ring`, after sleeping or a pause when there are none. 0: try again, unless the run
  // is over.
  std::size_t wait_for(Ring& ring, Side& side, void** items, Wait& wait) noexcept {
    if (!params_.sleep) {
      wait.pause();
      return 0;
    }
    side.bell.arm();
    const std::size_t got = ring.pop(0, items, params_.pop);
    if (got == 0) {
      side.bell.sleep(kNap);
      control_.expired();
    } else {
      side.bell.disarm();
    }
    return got;
  }

  // False: the run is over.
  bool take(Side& side, void* const* items, std::size_t count) noexcept {
    side.wrong = !side.arrivals.take(items, count);
    if (side.wrong) control_.stop();
    side.buffers += count;
    return !side.wrong;
  }

  // One batch for the host, as far as there is room. Returns how many.
  std::size_t add_buffers(void** items) noexcept {
    const std::uint64_t under_way = sent_ - guest_.buffers;
    const std::size_t wanted = std::min<std::uint64_t>(
        {next_batch(), outstanding_ - std::min(under_way, outstanding_), params_.count - sent_});
    std::size_t added = 0;
    while (added < wanted) {
      const std::size_t burst = std::min(params_.burst, wanted - added);
      fill(items, first_item(0) + sent_, burst);
      const std::size_t stored = to_host_.push(0, items, burst);
      added += stored;
      sent_ += stored;
      if (stored != burst) break;
    }
    if (added != 0) notify(guest_, host_);
    return added;
  }

  void guest() noexcept {
    std::array<void*, kMaxBurst> items{};
    Wait wait{control_};
    for (unsigned round = 1; guest_.buffers < params_.count && !control_.stopped(); ++round) {
      const bool added = add_buffers(items.data()) != 0;
      std::size_t got = to_guest_.pop(0, items.data(), params_.pop);
      if (got == 0 && !added) got = wait_for(to_guest_, guest_, items.data(), wait);
      if (!take(guest_, items.data(), got)) break;
      if (round % kPopsPerLook == 0) control_.expired();
    }
    ended_ = RunControl::Clock::now();
    control_.stop();
    host_.bell.ring();
  }

  void host() noexcept {
    std::array<void*, kMaxBurst> items{};
    Wait wait{control_};
    while (!control_.stopped()) {
      std::size_t got = to_host_.pop(0, items.data(), params_.pop);
      if (got == 0) got = wait_for(to_host_, host_, items.data(), wait);
      if (!take(host_, items.data(), got)) break;
      for (std::size_t done = 0; done < got;) {
        const std::size_t stored = to_guest_.push(0, items.data() + done, got - done);
        done += stored;
        if (stored != 0) notify(host_, guest_);
        if (stored == 0 && !wait.pause()) return;
      }
    }
  }

  std::string verdict() {
    if (host_.wrong) return "at the host: " + host_.arrivals.error();
    if (guest_.wrong) return "at the guest: " + guest_.arrivals.error();
    if (guest_.buffers < params_.count) {
      return control_.time_limit_text() + ": " + std::to_string(params_.count - guest_.buffers) +
             " of " + std::to_string(params_.count) + " buffers missing; " + std::to_string(sent_) +
             " sent, " + std::to_string(host_.buffers) + " at the host, " +
             std::to_string(guest_.buffers) + " back";
    }
    std::string error = guest_.arrivals.final_error();
    if (error.empty()) error = surplus_text(to_host_);
    if (error.empty()) error = surplus_text(to_guest_);
    return error;
  }

  const Params& params_;
  std::uint64_t outstanding_;
  RunControl control_;
  Ring to_host_;
  Ring to_guest_;
  Prng prng_{params_.seed};  // the guest's, as is sent_
  std::uint64_t sent_ = 0;
  Nanoseconds ended_ = 0;
  Side guest_;
  Side host_;
};

template <RingAdapter Ring>
Outcome run_ringtest(const Params& params) {
  return Ringtest<Ring>{params}.run();
}

}  // namespace qdiscsim::ring_bench
