#include "base/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace qdiscsim {
namespace {

#if defined(__x86_64__)
bool has_invariant_tsc() noexcept {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & (1U << 8U)) != 0;
}

struct Pair {
  std::uint64_t ticks;
  Nanoseconds ns;
};

// Reads both clocks as close together as the best of several tries allows: a preemption between the
// two reads would go straight into the scale.
Pair read_pair() noexcept {
  Pair best{};
  std::uint64_t best_gap = UINT64_MAX;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t before = __rdtsc();
    const Nanoseconds ns = monotonic_ns();
    const std::uint64_t after = __rdtsc();
    if (after - before < best_gap) {
      best_gap = after - before;
      best = {before + best_gap / 2, ns};
    }
  }
  return best;
}
#endif

}  // namespace

bool TscClock::calibrate() noexcept {
#if defined(__x86_64__)
  if (scale_ != 0) return true;
  if (!has_invariant_tsc()) return false;
  const Pair first = read_pair();
  while (monotonic_ns() - first.ns < 10 * kMillisecond) _mm_pause();
  const Pair last = read_pair();
  if (last.ticks <= first.ticks) return false;
  __extension__ using Wide = unsigned __int128;
  start_ticks_ = first.ticks;
  start_ns_ = first.ns;
  scale_ =
      static_cast<std::uint64_t>((Wide{last.ns - first.ns} << 32U) / (last.ticks - first.ticks));
  return true;
#else
  return false;
#endif
}

double TscClock::frequency_hz() noexcept {
  if (scale_ == 0) return 0;
  return 1e9 * 4294967296.0 / static_cast<double>(scale_);
}

}  // namespace qdiscsim
