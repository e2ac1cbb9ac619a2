// The two sync policies whose state is 64-bit words with two halves: RelaxedTailSync and
// HeadTailSync. What they do, and what a Side offers: ring/rte_sync.h.
#pragma once

#include <cstdint>

#include "base/smp.h"
#include "ring/rte_sync.h"

namespace qdiscsim {

// high: position, low: how often somebody entered (head) or finished (tail).
template <class Wait>
struct RelaxedTailSyncWith {
  static constexpr const char* kName = "rts";
  static constexpr bool kCanPeek = false;

  template <class Smp, class Orders>
  class Side {
   public:
    void reset(std::uint32_t start, std::uint32_t htd_max) noexcept {
      head_.store(RteHalves{start, 0}.word(), Orders::own);
      tail_.store(RteHalves{start, 0}.word(), Orders::own);
      htd_max_ = htd_max;
    }
    std::uint32_t tail(smp::order o) const noexcept { return RteHalves::of(tail_.load(o)).high; }
    // Somebody is inside, and what others have finished since is not published yet.
    bool busy() const noexcept {
      return RteHalves::of(head_.load(Orders::own)).high != tail(Orders::own);
    }

    template <RteFit kFit, class OtherTail>
    RteReservation reserve(std::uint32_t n, std::uint32_t extra, OtherTail&& other_tail) noexcept {
      Smp::prefetch(&head_, smp::Access::kWrite);  // else it comes shared first, then once more
      for (;;) {
        std::uint64_t seen = head_near_tail();
        const RteHalves head = RteHalves::of(seen);
        const std::uint32_t room = extra + other_tail() - head.high;
        const std::uint32_t count = rte_fitting<kFit>(n, room);
        if (count == 0) return {head.high, 0, room};
        const RteHalves next{head.high + count, head.low + 1};
        // A failing CAS needs no order: the head is read anew.
        if (head_.compare_exchange(seen, next.word(), Orders::reserve, Orders::own)) [[likely]]
          return {head.high, count, room};
      }
    }

    // The last of those who are inside moves the tail over everybody's entries, also over those of
    // threads that finished before it; the others only count themselves.
    void publish(const RteReservation& /*mine*/) noexcept {
      std::uint64_t tail = tail_.load(Orders::join);
      std::uint64_t next = 0;
      do {
        const RteHalves done = RteHalves::of(tail);
        const std::uint64_t head = head_.load(Orders::own);
        const bool last = done.low + 1 == RteHalves::of(head).low;
        next = last ? head : RteHalves{done.high, done.low + 1}.word();
        // Success carries on the release sequence of those before: observe meets all of them.
      } while (!tail_.compare_exchange(tail, next, Orders::publish, Orders::join));
    }

   private:
    bool near(std::uint64_t head, std::uint64_t tail) const noexcept {
      // Signed: the tail may have overtaken a head that was read before it.
      const auto distance =
          static_cast<std::int32_t>(RteHalves::of(head).high - RteHalves::of(tail).high);
      return distance <= static_cast<std::int32_t>(htd_max_);
    }

    std::uint64_t head_near_tail() noexcept {
      for (;;) {
        const std::uint64_t head = head_.load(Orders::head);
        if (near(head, tail_.load(Orders::own))) [[likely]]
          return head;
        Wait::template until<Smp>(
            tail_, [this, head](std::uint64_t tail) { return near(head, tail); }, Orders::own);
      }
    }

    typename Smp::template atomic<std::uint64_t> tail_{};
    typename Smp::template atomic<std::uint64_t> head_{};
    std::uint32_t htd_max_ = 0;  // entries, at most 2^31 - 1
  };
};

// high: tail, low: head.
template <class Wait>
struct HeadTailSyncWith {
  static constexpr const char* kName = "hts";
  static constexpr bool kCanPeek = true;

  template <class Smp, class Orders>
  class Side {
   public:
    void reset(std::uint32_t start, std::uint32_t /*htd_max*/) noexcept {
      both_.store(RteHalves{start, start}.word(), Orders::own);
    }
    std::uint32_t tail(smp::order o) const noexcept { return RteHalves::of(both_.load(o)).high; }

    template <RteFit kFit, class OtherTail>
    RteReservation reserve(std::uint32_t n, std::uint32_t extra, OtherTail&& other_tail) noexcept {
      for (;;) {
        std::uint64_t seen = Wait::template until<Smp>(
            both_, [](std::uint64_t word) { return nobody_inside(word); }, Orders::enter);
        const std::uint32_t tail = RteHalves::of(seen).high;
        const std::uint32_t room = extra + other_tail() - tail;
        const std::uint32_t count = rte_fitting<kFit>(n, room);
        if (count == 0) return {tail, 0, room};
        // No order on the CAS: what it confirms was published with a release and read with enter;
        // what it writes is used by nobody, since nobody enters before the next publish.
        if (both_.compare_exchange(seen, RteHalves{tail, tail + count}.word(), Orders::own,
                                   Orders::own)) [[likely]]
          return {tail, count, room};
      }
    }
    // Only the thread inside writes the word, so a store is enough.
    void publish(const RteReservation& mine) noexcept { settle(mine.first + mine.count); }

    RteReservation held() const noexcept {
      const RteHalves both = RteHalves::of(both_.load(Orders::own));
      return {both.high, both.low - both.high, 0};
    }
    void finish(std::uint32_t n) noexcept {
      settle(RteHalves::of(both_.load(Orders::own)).high + n);
    }

   private:
    static constexpr bool nobody_inside(std::uint64_t word) noexcept {
      return RteHalves::of(word).high == RteHalves::of(word).low;
    }
    void settle(std::uint32_t end) noexcept {
      both_.store(RteHalves{end, end}.word(), Orders::publish);
    }

    typename Smp::template atomic<std::uint64_t> both_{};
  };
};

using MultiThread = MultiThreadWith<YieldingWait>;
using RelaxedTailSync = RelaxedTailSyncWith<YieldingWait>;
using HeadTailSync = HeadTailSyncWith<YieldingWait>;

}  // namespace qdiscsim
