// RteRing: DPDK's rte_ring. A bounded ring of pointers whose two sides choose, each for itself, how
// their threads are kept apart: SingleThread, MultiThread, RelaxedTailSync, HeadTailSync
// (ring/rte_sync.h).
//
// Each side has a head (reserved up to here) and a tail (published up to here), free-running 32-bit
// positions:  consumer tail <= consumer head <= producer tail <= producer head <= consumer tail +
// capacity. Entries leave in the order of the producers' reservations.
//
// Capacity. Of a power of two of slots all but one are usable; with `exact`, exactly as many as
// asked for, in the next larger power of two. The largest ring has 2^31 slots, 2^31 - 1 usable (16
// GiB of pointers); DPDK stops at half of that without exact.
//
// Threads. Enqueue and dequeue: as the side's policy says. The counts: any thread, any time. Nobody
// but replace() changes the capacity. Null is carried like any other value, but dequeue() then says
// nothing.
//
// How far the counts may be trusted. They compare the published tails: a move under way counts as
// not begun. The consumers' tail is read first, so at the moment of the second read the ring held
// at most count() entries:
//   count()       never too low, may be too high when entries left meanwhile
//   free_count()  never too high, may be too low
//   empty()       true was true; false may be out of date, except to the only consumer
//   full()        false was false; true may be out of date, except to the only producer
// `left` in an answer is what this thread saw when it reserved.
//
// Errors: what does not fit is not moved, and the answer says how much was. The constructor throws
// std::invalid_argument for a size that is no power of two, std::length_error for one too large and
// std::bad_alloc. Nothing throws on the data path.
// Source of the behaviour: DPDK 22.11.11, lib/ring.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/rte_slots.h"
#include "ring/rte_sync.h"
#include "ring/rte_sync64.h"

namespace qdiscsim {

template <class Smp, class ProducerSync = MultiThread, class ConsumerSync = SingleThread,
          class Orders = RteRingOrders>
class RteRing {
 public:
  using Slots = RteSlots<Smp>;
  using Slot = typename Slots::Slot;

  // Slots reserved in place: fill or read `first`, then `second`, which continues it at the start
  // of the array.
  struct Spans {
    std::span<Slot> first;
    std::span<Slot> second;
    std::uint32_t left;
    std::size_t count() const noexcept { return first.size() + second.size(); }
  };

  explicit RteRing(std::uint64_t size, const RteRingOptions& options = {}) : options_{options} {
    const std::uint64_t slots = rte_slot_count(size, options.exact);
    adopt(Slots{std::make_unique<Slot[]>(Slots::array_length(slots)),
                static_cast<std::uint32_t>(slots)},
          static_cast<std::uint32_t>(options.exact ? size : slots - 1), options.start,
          options.start);
  }
  RteRing(const RteRing&) = delete;
  RteRing& operator=(const RteRing&) = delete;

  // ---- producers ----

  bool enqueue(void* entry) noexcept { return put<RteFit::kAll>(&entry, 1).count == 1; }
  template <class T>
  RteMoved enqueue_bulk(std::span<T* const> entries) noexcept {
    return put<RteFit::kAll>(entries.data(), clipped(entries.size()));
  }
  template <class T>
  RteMoved enqueue_burst(std::span<T* const> entries) noexcept {
    return put<RteFit::kAny>(entries.data(), clipped(entries.size()));
  }

  // ---- consumers ----

  // Null: there was none.
  void* dequeue() noexcept {
    void* entry = nullptr;
    take<RteFit::kAll>(&entry, 1);
    return entry;
  }
  template <class T>
  RteMoved dequeue_bulk(std::span<T*> out) noexcept {
    return take<RteFit::kAll>(out.data(), clipped(out.size()));
  }
  template <class T>
  RteMoved dequeue_burst(std::span<T*> out) noexcept {
    return take<RteFit::kAny>(out.data(), clipped(out.size()));
  }

  // The oldest entry, which stays in the ring; null when empty. The only consumer.
  void* front() const noexcept requires std::same_as<ConsumerSync, SingleThread> {
    const std::uint32_t tail = consumer_.tail(Orders::own);
    if (producer_.tail(Orders::observe) == tail) return nullptr;
    return slots_.at(tail).get();
  }

  // ---- peek: reserve, look, then commit a part; SingleThread and HeadTailSync ----
  // After a start that answers count > 0 the same thread must call finish, and nothing else of that
  // side in between. With HeadTailSync the others wait so long. finish(k) commits the first k of
  // the reservation and gives back the rest; 0 gives all back, and so does more than was reserved.

  template <RteFit kFit = RteFit::kAll>
  RteMoved enqueue_start(std::size_t n) noexcept requires ProducerSync::kCanPeek {
    const RteReservation got = reserve_free<kFit>(clipped(n));
    return {got.count, got.room - got.count};
  }
  // Writes entries into the first of the reserved slots and commits these.
  template <class T>
  void enqueue_finish(std::span<T* const> entries) noexcept requires ProducerSync::kCanPeek {
    const RteReservation held = producer_.held();
    const std::uint32_t n = entries.size() <= held.count ? clipped(entries.size()) : 0;
    slots_.write(held.first, entries.data(), n);
    producer_.finish(n);
  }

  // Reads into out what it reserves.
  template <RteFit kFit = RteFit::kAll, class T>
  RteMoved dequeue_start(std::span<T*> out) noexcept requires ConsumerSync::kCanPeek {
    const RteReservation got = reserve_entries<kFit>(clipped(out.size()));
    slots_.read(got.first, out.data(), got.count);
    return {got.count, got.room - got.count};
  }
  void dequeue_finish(std::size_t n) noexcept requires ConsumerSync::kCanPeek {
    finish(consumer_, n);
  }

  // ---- zero copy: the same in the ring's own slots; consumers end with dequeue_finish ----

  template <RteFit kFit = RteFit::kAll>
  Spans enqueue_zc_start(std::size_t n) noexcept requires ProducerSync::kCanPeek {
    return in_place(reserve_free<kFit>(clipped(n)));
  }
  void enqueue_zc_finish(std::size_t n) noexcept requires ProducerSync::kCanPeek {
    finish(producer_, n);
  }
  template <RteFit kFit = RteFit::kAll>
  Spans dequeue_zc_start(std::size_t n) noexcept requires ConsumerSync::kCanPeek {
    return in_place(reserve_entries<kFit>(clipped(n)));
  }

  // ---- anyone ----
  std::uint32_t capacity() const noexcept { return capacity_; }
  // Producers that have returned may have left entries that are not published yet, behind one that
  // is still inside. Only RelaxedTailSync lets them return so early.
  bool pending() const noexcept {
    if constexpr (requires { producer_.busy(); }) {
      return producer_.busy();
    } else {
      return false;
    }
  }
  std::uint64_t slot_count() const noexcept { return slots_.count(); }
  std::uint32_t count() const noexcept {
    // observe on the first read keeps the second behind it.
    const std::uint32_t left = consumer_.tail(Orders::observe);
    return std::min(producer_.tail(Orders::observe) - left, capacity_);
  }
  std::uint32_t free_count() const noexcept { return capacity_ - count(); }
  bool empty() const noexcept { return count() == 0; }
  bool full() const noexcept { return count() == capacity_; }

  // ---- everybody at rest ----

  // Moves the entries, oldest first, into the new slots; those that do not fit, the newest, go to
  // destroy(void*). capacity < slots.count().
  template <class Destroy>
  void replace(Slots slots, std::uint32_t capacity, Destroy&& destroy) {
    const std::uint32_t first = consumer_.tail(Orders::observe);
    const std::uint32_t last = producer_.tail(Orders::observe);
    const std::uint32_t kept = std::min(last - first, capacity);
    for (std::uint32_t i = 0; i < kept; ++i) slots.at(first + i).set(slots_.at(first + i).get());
    for (std::uint32_t at = first + kept; at != last; ++at) destroy(slots_.at(at).get());
    adopt(std::move(slots), capacity, first, first + kept);
  }

 private:
  // Nothing larger than 2^32 - 1 fits anyway.
  static constexpr std::uint32_t clipped(std::size_t n) noexcept {
    return static_cast<std::uint32_t>(std::min<std::size_t>(n, UINT32_MAX));
  }

  template <RteFit kFit>
  RteReservation reserve_free(std::uint32_t n) noexcept {
    return producer_.template reserve<kFit>(
        n, capacity_, [this]() noexcept { return consumer_.tail(Orders::observe); });
  }
  template <RteFit kFit>
  RteReservation reserve_entries(std::uint32_t n) noexcept {
    return consumer_.template reserve<kFit>(
        n, 0, [this]() noexcept { return producer_.tail(Orders::observe); });
  }

  template <RteFit kFit, class T>
  RteMoved put(T* const* entries, std::uint32_t n) noexcept {
    const RteReservation got = reserve_free<kFit>(n);
    if (got.count != 0) {
      slots_.write(got.first, entries, got.count);
      producer_.publish(got);
    }
    return {got.count, got.room - got.count};
  }
  template <RteFit kFit, class T>
  RteMoved take(T** out, std::uint32_t n) noexcept {
    const RteReservation got = reserve_entries<kFit>(n);
    if (got.count != 0) {
      slots_.read(got.first, out, got.count);
      consumer_.publish(got);
    }
    return {got.count, got.room - got.count};
  }

  Spans in_place(const RteReservation& got) noexcept {
    const auto [first, second] = slots_.spans(got.first, got.count);
    return {first, second, got.room - got.count};
  }
  static void finish(auto& side, std::size_t n) noexcept {
    side.finish(n <= side.held().count ? clipped(n) : 0);
  }
  void adopt(Slots slots, std::uint32_t capacity, std::uint32_t first,
             std::uint32_t last) noexcept {
    const auto htd_max = [capacity](const std::optional<std::uint32_t>& asked) {
      return std::min(asked.value_or(capacity / 8), capacity);
    };
    slots_ = std::move(slots);
    capacity_ = capacity;
    consumer_.reset(first, htd_max(options_.consumer_htd_max));
    producer_.reset(last, htd_max(options_.producer_htd_max));
  }

  // Two lines each, as DPDK: processors fetch lines in pairs.
  static constexpr std::size_t kApart = 2 * kCacheLine;

  // Read by everyone, written at rest only.
  alignas(kApart) Slots slots_;
  std::uint32_t capacity_ = 0;
  RteRingOptions options_;

  alignas(kApart) typename ProducerSync::template Side<Smp, Orders> producer_;
  alignas(kApart) typename ConsumerSync::template Side<Smp, Orders> consumer_;
};

}  // namespace qdiscsim
