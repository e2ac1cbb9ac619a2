// The threads of one run: they sit where Params::cpus says, start together, and end when their work
// is done, somebody found an error, or the time is over.
//
// Thread 0 is the caller of run_together() itself: the consumer, or the only thread.
#pragma once

#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/cacheline.h"
#include "base/smp_native.h"
#include "bench/ring/params.h"
#include "bench/ring/pin.h"

namespace qdiscsim::ring_bench {

// Shared by all threads of one run.
class RunControl {
 public:
  using Clock = TscClock;

  explicit RunControl(const Params& params) noexcept
      : time_limit_{params.time_limit}, interrupt_{params.interrupt} {}
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  // Thread 0, before the others are let go.
  void start() noexcept { started_ = Clock::now(); }
  Nanoseconds started() const noexcept { return started_; }

  // Any thread. One load of a line that nobody writes: cheap enough for every call of the ring.
  bool stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }
  void stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
  // Any thread; reads the clock, so ask rarely. True when the run is to end.
  bool expired() noexcept {
    if (stopped()) return true;
    if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) {
      stop();
    } else if (Clock::now() - started_ >= time_limit_) {
      late_.store(true, std::memory_order_relaxed);
      stop();
    }
    return stopped();
  }

  // After the run.
  bool was_late() const noexcept { return late_.load(std::memory_order_relaxed); }
  std::string time_limit_text() const;

 private:
  alignas(kCacheLine) std::atomic<bool> stop_{false};
  std::atomic<bool> late_{false};
  Nanoseconds started_ = 0;
  const Nanoseconds time_limit_;
  const std::atomic<bool>* const interrupt_;
};

inline std::string RunControl::time_limit_text() const {
  const std::string ms = std::to_string(1000 + time_limit_ / kMillisecond % 1000);
  return "time limit of " + std::to_string(time_limit_ / kSecond) + "." + ms.substr(1) +
         " s reached";
}

// One wait for the other side: 64 pauses, then the core goes to whoever wants it, and so on. Looks
// at the clock at each yield.
class Wait {
 public:
  explicit Wait(RunControl& control) noexcept : control_{control} {}

  // False: the run is over, do not try again.
  bool pause() noexcept {
    spinner_.pause();
    return ++pauses_ % smp::kPausesPerYield != 0 || !control_.expired();
  }
  unsigned pauses() const noexcept { return pauses_; }

 private:
  RunControl& control_;
  smp::Native::Spinner spinner_;
  unsigned pauses_ = 0;
};

namespace detail {

// Threads arrive here and are let go all at once, or sent home.
class StartLine {
 public:
  // False: the run does not take place.
  bool arrive(bool fit) noexcept {
    if (!fit) refused_.store(true, std::memory_order_relaxed);
    ready_.fetch_add(1, std::memory_order_release);  // partner: await_all
    smp::Native::Spinner spinner;
    for (;;) {
      const Signal signal = signal_.load(std::memory_order_acquire);  // partner: give
      if (signal != Signal::kWait) return signal == Signal::kGo;
      spinner.pause();
    }
  }
  bool await_all(unsigned threads) const noexcept {
    smp::Native::Spinner spinner;
    while (ready_.load(std::memory_order_acquire) != threads) spinner.pause();
    return !refused_.load(std::memory_order_relaxed);
  }
  void give(bool go) noexcept {
    signal_.store(go ? Signal::kGo : Signal::kHome, std::memory_order_release);
  }

 private:
  enum class Signal : std::uint8_t { kWait, kGo, kHome };

  std::atomic<unsigned> ready_{0};
  std::atomic<bool> refused_{false};
  alignas(kCacheLine) std::atomic<Signal> signal_{Signal::kWait};
};

}  // namespace detail

// Calls body(i) for i = 0 .. threads-1, each on its own thread, and returns when all have returned.
// body must not throw. Not empty: why the run did not take place.
template <class Body>
std::string run_together(const Params& params, unsigned threads, RunControl& control, Body&& body) {
  detail::StartLine line;
  std::vector<std::thread> others;
  std::string error;
  const Pinned self{params, 0};
  bool go = self.done();
  try {
    for (unsigned i = 1; i < threads; ++i) {
      others.emplace_back([&, i] {
        if (line.arrive(pin(params, i))) body(i);
      });
    }
  } catch (const std::system_error& failure) {
    error = "cannot start " + std::to_string(threads) + " threads: " + failure.what();
    go = false;
  }
  go &= line.await_all(static_cast<unsigned>(others.size()));
  if (!go && error.empty()) error = "the system refuses to run a thread on the CPUs asked for";
  control.start();
  line.give(go);
  if (go) body(0U);
  for (std::thread& thread : others) thread.join();
  return error;
}

}  // namespace qdiscsim::ring_bench
