// RunState: the lockless run protocol of a NOLOCK qdisc: who may dequeue, and who makes sure that
// somebody does.
//
// One thread at a time holds the seqlock and drains. A thread that fails to get it leaves MISSED
// behind; the holder looks at MISSED after unlocking and schedules the softirq. The invariant that
// all this serves: with no CPU in the middle of a call and the tx queue running, a packet in a ring
// implies that the seqlock is held or SCHED is set. Nothing is ever stuck.
//
// Two pairs of accesses carry it, both in the total order of seq_cst, because each side writes one
// word and then reads the other's:
//   run_end:    release the seqlock, then read MISSED      (unlock, recheck)
//   run_begin:  set MISSED, then try the seqlock           (mark, retry)
// and the second for a stopped tx queue, with tx_queue.h:
//   blocked:    clear MISSED, then read the queue's state  (mark; TxQueueOrders::inspect)
//   wake:       clear XOFF, then set SCHED                 (TxQueueOrders::change; mark)
//
// Source: linux include/net/sch_generic.h, commits a90c57f2cedd (MISSED), dcad9ee9e066 (stopped
// queue), c4fef01ba479 (DRAINING), a54ce3703613 (test-and-set).
#pragma once

#include <cstdint>

#include "base/cacheline.h"
#include "base/smp.h"
#include "qdisc/kernel_bugs.h"

namespace qdiscsim {

struct RunStateOrders {
  static constexpr smp::order enter =
      smp::acquire;  // partner: unlock (what the last holder drained)
  static constexpr smp::order retry = smp::seq_cst;   // partner: unlock
  static constexpr smp::order unlock = smp::seq_cst;  // partner: enter, retry
  static constexpr smp::order mark = smp::seq_cst;    // partner: recheck, admit, and mark elsewhere
  static constexpr smp::order recheck = smp::seq_cst;  // partner: mark
  static constexpr smp::order hint = smp::relaxed;     // is tested again under the seqlock
  // A sender that is let in sees what the control thread changed while the qdisc was down.
  static constexpr smp::order admit = smp::acquire;  // partner: mark (in activate)
};

template <class Smp, class Orders = RunStateOrders>
class alignas(kCacheLine) RunState {
 public:
  enum Bit : std::uint32_t {
    kSched = 1,
    kDeactivated = 2,
    kMissed = 4,
    kDraining = 8,
    kUnseen = 16,   // MISSED as looks_empty() does not see it: KernelBug::kBypassReorders only
    kRootLock = 32  // never changes: the qdisc is not NOLOCK and does without this protocol
  };

  explicit RunState(KernelBugs bugs = {}, bool root_lock = false) noexcept
      : bits_{root_lock ? kRootLock : 0U}, bugs_{bugs.mask()} {}

  // True: the caller is the runner and must call run_end. False: another runner is active, and will
  // see that something came. before: the bits that a sender saw before it enqueued; used with
  // KernelBug::kStaleMissed only.
  bool run_begin(std::uint32_t before = 0) noexcept {
    if (try_lock(Orders::hint, Orders::enter)) return true;
    std::uint32_t sign = kMissed;
    if (const KernelBugs had = bugs(); had.any()) [[unlikely]] {
      if (had.has(KernelBug::kSingleTrylock)) return false;
      if (had.has(KernelBug::kBypassReorders)) sign = kUnseen;
      if (had.has(KernelBug::kStaleMissed) && (before & sign) != 0) return false;
    }
    if ((bits_.fetch_or(sign, Orders::mark) & sign) != 0) return false;
    return try_lock(Orders::retry, Orders::retry);
  }

  // Without the protocol: for qdiscs under a root lock, and for the control thread.
  bool try_run() noexcept { return try_lock(Orders::hint, Orders::enter); }

  // True: something was missed while the caller ran; it must schedule the qdisc.
  [[nodiscard]] bool run_end() noexcept {
    // An exchange, not a store: the unlock has to be visible before MISSED is read.
    running_.exchange(0, Orders::unlock);
    return (bits_.load(Orders::recheck) & kLeftBehind) != 0;
  }

  // A hint, not a look into the rings: neither MISSED nor DRAINING.
  bool looks_empty() const noexcept { return (hint() & (kMissed | kDraining)) == 0; }
  // Whether a scan that found nothing has signs to clear, and must look again.
  bool has_signs() const noexcept { return (hint() & (kLeftBehind | kDraining)) != 0; }
  std::uint32_t hint() const noexcept { return bits_.load(Orders::hint); }
  // The same bits, for whoever goes on to use the rings unless they say kDeactivated.
  std::uint32_t admit() const noexcept { return bits_.load(Orders::admit); }
  bool running() const noexcept { return running_.load(Orders::retry) != 0; }

  // Runner only. The rings looked empty: whoever set MISSED before this point published its packet
  // before, so one more scan finds it.
  void clear_non_empty() noexcept { bits_.fetch_and(~(kLeftBehind | kDraining), Orders::mark); }

  void set_missed() noexcept { bits_.fetch_or(kMissed, Orders::mark); }
  // Runner only. Something waits that it cannot take yet; whoever makes it available runs the
  // queue.
  void set_draining() noexcept { bits_.fetch_or(kDraining, Orders::mark); }

  // Runner only, when its tx queue is stopped. Without this the softirq would spin on MISSED until
  // the queue wakes; DRAINING keeps newcomers from overtaking. still_blocked() reads the queue
  // again.
  template <class StillBlocked>
  void clear_missed_while_blocked(StillBlocked&& still_blocked) noexcept {
    if (bugs().has(KernelBug::kNoDrainState)) [[unlikely]]
      return;
    if ((bits_.load(Orders::recheck) & kLeftBehind) != 0) {
      bits_.fetch_and(~kLeftBehind, Orders::mark);
    }
    const bool blocked = still_blocked();
    const std::uint32_t bit = blocked ? kDraining : kMissed;
    if (!blocked || (hint() & kDraining) == 0) bits_.fetch_or(bit, Orders::mark);
  }

  // True when SCHED was clear: the caller puts the qdisc on its CPU's output list.
  [[nodiscard]] bool mark_scheduled() noexcept {
    return (bits_.fetch_or(kSched, Orders::mark) & kSched) == 0;
  }
  void clear_scheduled() noexcept { bits_.fetch_and(~kSched, Orders::mark); }

  // Runner only: a sign of life after each batch.
  void beat() noexcept { beats_.store(beats_.load(smp::relaxed) + 1, smp::relaxed); }
  std::uint32_t beats() const noexcept { return beats_.load(smp::relaxed); }

  // Whether somebody is meant to be draining but does not get on: its thread was preempted, which
  // the kernel's drainer, with bottom halves off, is not. Looks for a bounded time; a live runner
  // is seen to be alive within one batch. always_manned: a dedicated thread drains, seqlock or not.
  bool runner_stalled(bool always_manned) const noexcept {
    const std::uint32_t before = beats();
    typename Smp::Spinner spinner;
    for (unsigned i = 0; i < smp::kPausesPerYield; ++i) {
      if (beats() != before || (!always_manned && !running())) return false;
      spinner.pause();
    }
    return true;
  }

  bool deactivated() const noexcept { return (bits_.load(Orders::recheck) & kDeactivated) != 0; }
  void deactivate() noexcept { bits_.fetch_or(kDeactivated, Orders::mark); }
  // Ends a reset: as a fresh qdisc.
  void activate() noexcept {
    bits_.fetch_and(~(kDeactivated | kLeftBehind | kDraining), Orders::mark);
  }
  bool idle() const noexcept { return !running() && (bits_.load(Orders::recheck) & kSched) == 0; }

  KernelBugs bugs() const noexcept { return KernelBugs{bugs_.load(smp::relaxed)}; }
  void set_bugs(KernelBugs bugs) noexcept { bugs_.store(bugs.mask(), smp::relaxed); }

 private:
  static constexpr std::uint32_t kLeftBehind = kMissed | kUnseen;

  // Looks before it writes: a busy seqlock's line stays with its holder.
  bool try_lock(smp::order look, smp::order take) noexcept {
    return running_.load(look) == 0 && running_.exchange(1, take) == 0;
  }

  typename Smp::template atomic<std::uint32_t> running_{};
  typename Smp::template atomic<std::uint32_t> bits_;
  typename Smp::template atomic<std::uint32_t> bugs_;
  typename Smp::template atomic<std::uint32_t> beats_{};  // a hint: written by the runner only
};

}  // namespace qdiscsim
