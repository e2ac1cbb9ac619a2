// How the threads of one side of an RteRing (ring/rte_ring.h) share that side. Each policy has a
// class Side with the side's head and tail: free-running 32-bit positions, tail <= head.
//
//   SingleThread      one thread at a time; no read-modify-write
//   MultiThread       CAS on the head, copy, wait until all earlier ones have published, publish.
//                     A preempted thread stops all behind it: collapses with more threads than
//                     cores
//   RelaxedTailSync   head and tail carry {position, counter}; whoever finishes last publishes for
//                     all, nobody waits for a turn. A thread may enter only while the head is no
//                     further than htd_max (entries) before the tail: 0 serialises
//   HeadTailSync      {head, tail} is one word, a thread may enter only when both are equal: one
//                     thread inside. No convoy, since any waiter that runs may be next
//
// kCanPeek: between reserve() and publish() nobody else of the side is inside, so that a part of
// the reservation can be given back.
//
// Those who must wait for another thread's progress (MultiThread for its turn, the other two at
// the entrance) do it as their wait policy says (ring/rte_wait.h).
//
// Halves of one word are always read and written together, as one 64-bit word.
// Source of the behaviour: DPDK 22.11.11, lib/ring; memory orders as of the fixes of November 2025.
#pragma once

#include <cstdint>
#include <optional>

#include "base/smp.h"
#include "ring/rte_wait.h"

namespace qdiscsim {

struct RteRingOrders {
  // Entries are in their slots (producers), slots have been read (consumers). Partner: observe for
  // the other side; for the own side turn, enter and join.
  static constexpr smp::order publish = smp::release;
  static constexpr smp::order observe = smp::acquire;
  // MultiThread: who publishes after others publishes for them too. Partner: publish. DPDK relies
  // on its machines here and waits relaxed.
  static constexpr smp::order turn = smp::acquire;
  // HeadTailSync: the same, and the other side's tail as the one before knew it. Partner: publish.
  static constexpr smp::order enter = smp::acquire;
  // RelaxedTailSync: a head at least as new as those who finished before knew it, else the tail
  // moves over entries that are not there yet. Partner: publish.
  static constexpr smp::order join = smp::acquire;
  // The lesson of November 2025. Who sees a new head must not see an older tail of the other side
  // than the thread that moved it, else the free count underflows. Partners: reserve for head
  // (first look) and for retry (the look of a failing CAS).
  static constexpr smp::order reserve = smp::release;
  static constexpr smp::order head = smp::acquire;
  static constexpr smp::order retry = smp::acquire;
  // Words whose value is the caller's own, or is confirmed by a CAS, or only decides when to look
  // again.
  static constexpr smp::order own = smp::relaxed;
};

// As it was before: the head is read before the other side's tail, but a head that another thread
// moved brings nothing along. Wrong on weakly ordered machines; kept so that it can be shown.
struct RteRingOrdersBefore2025 : RteRingOrders {
  static constexpr smp::order reserve = smp::relaxed;
  static constexpr smp::order retry = smp::relaxed;
};

// What to do when not all of n entries fit: nothing (bulk), or as many as fit (burst).
enum class RteFit : std::uint8_t { kAll, kAny };

template <RteFit kFit>
constexpr std::uint32_t rte_fitting(std::uint32_t wanted, std::uint32_t room) noexcept {
  if (wanted <= room) [[likely]]
    return wanted;
  // The empty statement keeps this a branch instead of a conditional move: predicted, it lets the
  // processor go on before it knows the other side's tail (a third less time at one entry a call).
  __asm__ volatile("");
  return kFit == RteFit::kAll ? 0 : room;
}

struct RteRingOptions {
  bool exact = false;
  // Entries that the head may be before the tail when a thread enters, 0 .. capacity (more counts
  // as capacity); RelaxedTailSync only. Default: capacity / 8.
  std::optional<std::uint32_t> producer_htd_max{};
  std::optional<std::uint32_t> consumer_htd_max{};
  std::uint32_t start = 0;  // the first position; tests begin just below the wrap
};

// Of a bulk or burst: entries moved (or reserved), and room left free or entries left available.
struct RteMoved {
  std::uint32_t count;
  std::uint32_t left;
};

// count entries from position first; room: how many could have been had.
struct RteReservation {
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t room;
};

// Two halves of one 64-bit word.
struct RteHalves {
  std::uint32_t high;  // position, or tail
  std::uint32_t low;   // counter, or head

  static constexpr RteHalves of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint32_t>(word)};
  }
  constexpr std::uint64_t word() const noexcept { return (std::uint64_t{high} << 32U) | low; }
};

// A Side offers
//   reset(start, htd_max)     at rest
//   tail(order)               the published position, for anyone
//   reserve<fit>(n, extra, other_tail) -> RteReservation of at most n out of
//                             extra + other_tail() - head entries
//   publish(reservation)      after the copy
// and with kCanPeek, for the thread that is inside:
//   held()                    the reservation as it stands, room unused
//   finish(n)                 publishes the first n of it and gives the rest back

struct SingleThread {
  static constexpr const char* kName = "st";
  static constexpr bool kCanPeek = true;

  template <class Smp, class Orders>
  class Side {
   public:
    void reset(std::uint32_t start, std::uint32_t /*htd_max*/) noexcept {
      head_.set(start);
      tail_.store(start, Orders::own);
    }
    std::uint32_t tail(smp::order o) const noexcept { return tail_.load(o); }

    template <RteFit kFit, class OtherTail>
    RteReservation reserve(std::uint32_t n, std::uint32_t extra, OtherTail&& other_tail) noexcept {
      const std::uint32_t head = head_.get();
      const std::uint32_t room = extra + other_tail() - head;
      n = rte_fitting<kFit>(n, room);
      head_.set(head + n);
      return {head, n, room};
    }
    void publish(const RteReservation& mine) noexcept {
      tail_.store(mine.first + mine.count, Orders::publish);
    }

    RteReservation held() const noexcept {
      const std::uint32_t tail = tail_.load(Orders::own);
      return {tail, head_.get() - tail, 0};
    }
    void finish(std::uint32_t n) noexcept {
      const std::uint32_t end = tail_.load(Orders::own) + n;
      head_.set(end);
      tail_.store(end, Orders::publish);
    }

   private:
    typename Smp::template var<std::uint32_t> head_{};
    typename Smp::template atomic<std::uint32_t> tail_{};
  };
};

template <class Wait>
struct MultiThreadWith {
  static constexpr const char* kName = "mt";
  static constexpr bool kCanPeek = false;

  template <class Smp, class Orders>
  class Side {
   public:
    void reset(std::uint32_t start, std::uint32_t /*htd_max*/) noexcept {
      head_.store(start, Orders::own);
      tail_.store(start, Orders::own);
    }
    std::uint32_t tail(smp::order o) const noexcept { return tail_.load(o); }

    template <RteFit kFit, class OtherTail>
    RteReservation reserve(std::uint32_t n, std::uint32_t extra, OtherTail&& other_tail) noexcept {
      Smp::prefetch(&head_, smp::Access::kWrite);  // else it comes shared first, then once more
      std::uint32_t head = head_.load(Orders::head);
      for (;;) {
        // An old head makes room look larger than it is, never smaller; the CAS then fails.
        const std::uint32_t room = extra + other_tail() - head;
        const std::uint32_t count = rte_fitting<kFit>(n, room);
        if (count == 0) return {head, 0, room};
        // In a variable of its own: else the copy would wait for the answer of the CAS.
        std::uint32_t seen = head;
        if (head_.compare_exchange(seen, head + count, Orders::reserve, Orders::retry)) [[likely]]
          return {head, count, room};
        head = seen;
      }
    }
    void publish(const RteReservation& mine) noexcept {
      Wait::template until<Smp>(
          tail_, [first = mine.first](std::uint32_t tail) { return tail == first; }, Orders::turn);
      tail_.store(mine.first + mine.count, Orders::publish);
    }

   private:
    typename Smp::template atomic<std::uint32_t> head_{};
    typename Smp::template atomic<std::uint32_t> tail_{};
  };
};

}  // namespace qdiscsim
