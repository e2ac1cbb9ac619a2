// Time in nanoseconds since an arbitrary start, never going back within one thread.
//
// TscClock    the data path's clock: the time stamp counter, scaled against CLOCK_MONOTONIC by
//             calibrate(). Where the counter is missing or not invariant (CPUID 8000_0007h EDX bit
//             8), or calibrate() was never called, it reads CLOCK_MONOTONIC itself.
// ManualClock moves only when a test says so. One per process, safe to read from every thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace qdiscsim {

using Nanoseconds = std::uint64_t;

inline constexpr Nanoseconds kSecond = 1'000'000'000;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kMicrosecond = 1'000;

inline Nanoseconds monotonic_ns() noexcept {
  timespec ts{};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return static_cast<Nanoseconds>(ts.tv_sec) * kSecond + static_cast<Nanoseconds>(ts.tv_nsec);
}

class TscClock {
 public:
  // Call once before threads start (about 10 ms); a second call does nothing. Returns true when the
  // counter is in use. The residual rate error is below 20 ppm.
  static bool calibrate() noexcept;

  // Ticks per second found by calibrate(); 0 when CLOCK_MONOTONIC is used.
  static double frequency_hz() noexcept;

  static Nanoseconds now() noexcept {
#if defined(__x86_64__)
    if (scale_ != 0) [[likely]] {
      const std::uint64_t ticks = __rdtsc() - start_ticks_;
      __extension__ using Wide = unsigned __int128;
      return start_ns_ + static_cast<Nanoseconds>((Wide{ticks} * scale_) >> 32U);
    }
#endif
    return monotonic_ns();
  }

 private:
  // Written by calibrate() before any thread reads; ns = start_ns + ticks * scale / 2^32.
  static inline std::uint64_t scale_ = 0;
  static inline std::uint64_t start_ticks_ = 0;
  static inline Nanoseconds start_ns_ = 0;
};

class ManualClock {
 public:
  static Nanoseconds now() noexcept { return now_.load(std::memory_order_relaxed); }
  static void set(Nanoseconds ns) noexcept { now_.store(ns, std::memory_order_relaxed); }
  static void advance(Nanoseconds ns) noexcept { now_.fetch_add(ns, std::memory_order_relaxed); }

 private:
  static inline std::atomic<Nanoseconds> now_{0};
};

}  // namespace qdiscsim
