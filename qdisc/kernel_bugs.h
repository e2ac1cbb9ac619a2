// Mistakes that the kernel's lockless transmit path had once, as switches: with one set, a queue
// behaves as it did before the commit named beside it. All are off in a fresh queue. They are read
// where a call has already lost its race or its luck, so a queue without them pays nothing.
// docs/kernel-bugs.md says what each looks like and how to see it.
//
// Threads: the control thread sets them at any time; everybody reads.
#pragma once

#include <cstdint>

namespace qdiscsim {

enum class KernelBug : std::uint8_t {
  // 4.16 to 5.12, fixed by a90c57f2cedd: who does not get the seqlock goes away and leaves no sign.
  kSingleTrylock,
  // 5.13 to 5.18, fixed by a54ce3703613: MISSED is read before the own packet is in the ring, and
  // a sender that saw it set relies on a runner who has cleared it since.
  kStaleMissed,
  // 5.13-rc, fixed by dcad9ee9e066: MISSED stays set while the tx queue is stopped, and the softirq
  // comes back for it again and again.
  kNoDrainState,
  // To 6.17, fixed by 0188a6c62e59: a batch is as long as the byte limit allows, quota or not.
  kUnlimitedBulk,
  // 5.2, ba27b4cdaaa6, reverted by 379349e9bc3b: the bypass does not see that a packet was left in
  // the ring by a sender who could not run.
  kBypassReorders,
  // 5.13-rc, fixed by 102b55ee92f9: the softirq of a queue that is down schedules itself again.
  kDeactivatedReschedules,
  // From 4.16, fixed by 2fb541c862c9: a queue that goes down is emptied before the senders that
  // were
  // inside have left.
  kResetBeforeGrace,
  // Root lock only. From 4.16, fixed by 8a53e616de29: the per-CPU statistics were kept without
  // NOLOCK, so the queue length that the bypass looks at is always 0.
  kKeptCpustats,
  // Root lock only. 4.16-rc, fixed by eb82a9944792: nothing keeps two CPUs from running one queue.
  // (That was before there was a seqlock; under the root lock the rings at least stay whole.)
  kParallelRuns,
};
inline constexpr std::uint32_t kKernelBugCount = 9;

class KernelBugs {
 public:
  constexpr KernelBugs() = default;
  constexpr explicit KernelBugs(std::uint32_t mask) noexcept : mask_{mask} {}
  // One bug is a set, so that options can name it.
  constexpr KernelBugs(KernelBug bug) noexcept  // NOLINT(google-explicit-constructor)
      : mask_{1U << static_cast<unsigned>(bug)} {}

  constexpr bool any() const noexcept { return mask_ != 0; }
  constexpr bool has(KernelBug bug) const noexcept { return (mask_ & KernelBugs{bug}.mask_) != 0; }
  // Bit n is the n-th enumerator.
  constexpr std::uint32_t mask() const noexcept { return mask_; }
  constexpr KernelBugs operator|(KernelBugs other) const noexcept {
    return KernelBugs{mask_ | other.mask_};
  }
  constexpr bool operator==(const KernelBugs&) const = default;

 private:
  std::uint32_t mask_ = 0;
};

}  // namespace qdiscsim
