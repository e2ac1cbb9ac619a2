// smp::Native: the Smp policy (base/smp.h) on real threads. Every member inlines to the std::atomic
// operation it names.
#pragma once

#include <sched.h>
#include <time.h>

#include <atomic>

#include "base/clock.h"
#include "base/smp.h"

namespace qdiscsim::smp {

template <class Clock>
struct NativeOn {
  template <class T>
  class atomic {
   public:
    constexpr atomic() noexcept : value_{} {}
    constexpr explicit atomic(T value) noexcept : value_{value} {}

    T load(order o) const noexcept { return value_.load(o); }
    void store(T v, order o) noexcept { value_.store(v, o); }
    T exchange(T v, order o) noexcept { return value_.exchange(v, o); }
    T fetch_add(T v, order o) noexcept { return value_.fetch_add(v, o); }
    T fetch_sub(T v, order o) noexcept { return value_.fetch_sub(v, o); }
    T fetch_or(T v, order o) noexcept { return value_.fetch_or(v, o); }
    T fetch_and(T v, order o) noexcept { return value_.fetch_and(v, o); }
    bool compare_exchange(T& expected, T desired, order success, order failure) noexcept {
      return value_.compare_exchange_strong(expected, desired, success, failure);
    }

   private:
    std::atomic<T> value_;
  };

  template <class T>
  class var {
   public:
    constexpr var() noexcept : value_{} {}
    constexpr explicit var(T value) noexcept : value_{value} {}
    T get() const noexcept { return value_; }
    void set(T value) noexcept { value_ = value; }

   private:
    T value_;
  };

  static void fence(order o) noexcept { std::atomic_thread_fence(o); }
  static void yield() noexcept { sched_yield(); }
  static void sleep(Nanoseconds ns) noexcept {
    const timespec time{static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
    nanosleep(&time, nullptr);
  }
  static Nanoseconds now() noexcept { return Clock::now(); }
  static void work(unsigned /*cycles*/) noexcept {}
  static void touch(const void* /*address*/, std::size_t /*bytes*/, Access /*access*/) noexcept {}
  static void prefetch(const void* address, Access access) noexcept {
    if (access == Access::kWrite) {
#if defined(__x86_64__)
      // GCC's builtin asks for a shared copy unless told of a newer CPU. A no-op where unknown.
      __asm__ __volatile__("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
      __builtin_prefetch(address, 1);
#endif
    } else {
      __builtin_prefetch(address, 0);
    }
  }

  class Spinner {
   public:
    void pause() noexcept {
      if (++pauses_ % kPausesPerYield == 0) {
        yield();
      } else {
        relax();
      }
    }

    void stand_aside() noexcept {
      if (++pauses_ % kPausesPerYield != 0) {
        relax();
      } else if (pauses_ <= kPausesPerYield * kYieldsBeforeSleep) {
        yield();
      } else {
        // With the usual timer slack this is some 60 us; the count stays where it is.
        pauses_ -= kPausesPerYield;
        sleep(kNap);
      }
    }

   private:
    static void relax() noexcept {
#if defined(__x86_64__)
      _mm_pause();
#elif defined(__aarch64__)
      __asm__ __volatile__("yield");
#endif
    }

    unsigned pauses_ = 0;
  };

  template <class T, class Predicate>
  static T spin_until(const atomic<T>& cell, Predicate&& satisfied, order o) noexcept {
    Spinner spinner;
    for (;;) {
      const T value = cell.load(o);
      if (satisfied(value)) return value;
      spinner.stand_aside();
    }
  }
};

using Native = NativeOn<TscClock>;
// Real threads under a clock that a test moves by hand.
using NativeManual = NativeOn<ManualClock>;

}  // namespace qdiscsim::smp
