// MpscRing: many producers, one consumer, no lock. Called `cas` in benches, `mpsc` in
// configuration.
//
// A producer reserves places for a whole burst with one compare-and-swap, against a limit that the
// consumer publishes; then it fills each slot on its own. No producer ever waits for another one.
// One that is preempted between the two delays the consumer, at its slot, and nobody else.
//
// The slot is the message (lap_slots.h): the consumer only reads slots. It tells producers of free
// places once a group of 64, so up to group()-1 free places can look full, as in PtrRing.
//
//   positions   given_ <= next_ <= head_ <= limit_ = given_ + size(), all free running
//   places      [next_, head_) hold entries, or are reserved and not filled yet
//
// Threads. produce, produce_batched: any. Forms named _unlocked, and front(): one consumer at a
// time; consume() locks that side. resize, unconsume, cleanup, count_at_rest: all others at rest.
// looks_empty(): any thread; may be stale, and a place that is reserved but not filled is empty.
// Order: entries leave in the order of their reservations; those of one burst stay together.
// Capacity is exactly size(), 0 makes every produce fail; more than that is never reserved.
// Errors: produce answers false when there is no room; resize answers false when memory is short
// and changes nothing. Nothing throws on the data path.
// Source: the question that the ptr_ring selftest of 2021 left open (a lock, or compare-and-swap).
// Reservation and publication apart: DPDK's rte_ring, without its wait for the tail; the limit that
// is read seldom: MCRingBuffer (Lee et al., 2009).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/lap_slots.h"
#include "ring/resize.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

struct MpscRingOrders : LapSlotsOrders {
  // The places were read before producers may reserve them.
  static constexpr smp::order give = smp::release;  // partner: take
  static constexpr smp::order take = smp::acquire;  // partner: give, share
  // A producer passes on the limit that it took, and with it the reads before.
  static constexpr smp::order share = smp::release;  // partner: take
  // Positions alone: nothing is read through them.
  static constexpr smp::order reserve = smp::relaxed;
};

// What the consumer finds at the front.
enum class Front : std::uint8_t { kEmpty, kPending, kReady };

template <class Smp, class Orders = MpscRingOrders>
class MpscRing {
 public:
  using Slots = LapSlots<Smp, Orders>;
  using Slot = typename Slots::Slot;
  using Position = typename Slots::Position;
  using Allocate = SlotAllocator<Slot>;

  static constexpr const char* kName = "mpsc";

  // Throws std::bad_alloc, and std::length_error above kMaxRingSize. start: the first position; a
  // test begins just below the wrap.
  explicit MpscRing(std::size_t size, Position start = 0) {
    adopt(size, std::make_unique<Slot[]>(slots_for(checked_ring_size(size))), start);
  }
  MpscRing(const MpscRing&) = delete;
  MpscRing& operator=(const MpscRing&) = delete;

  std::size_t size() const noexcept { return size_; }
  std::size_t group() const noexcept { return group_; }

  // ---- producers ----

  bool produce(void* entry) noexcept {
    Position at = 0;
    if (reserve(1, at) == 0) return false;
    slots_.fill(at, entry);
    if (at % Slots::kPerLine == 0) slots_.prefetch(at + kAhead);
    return true;
  }

  // Stores the first entries that fit, under one reservation. Returns how many.
  template <class T>
  std::size_t produce_batched(std::span<T* const> entries) noexcept {
    Position at = 0;
    const std::size_t count = reserve(entries.size(), at);
    for (std::size_t i = 0; i < count; i += Slots::kPerLine)
      slots_.prefetch(at + i + kAheadOfBurst);
    // Oldest last: the consumer waits there, and meets this producer when all are in place.
    for (std::size_t i = count; i-- > 0;) slots_.fill(at + i, entries[i]);
    return count;
  }

  // ---- the consumer ----

  void* peek_unlocked() const noexcept { return slots_.at(next_.load(smp::relaxed)); }

  void* consume_unlocked() noexcept {
    const Position next = next_.load(smp::relaxed);
    void* const entry = slots_.at(next);
    if (entry != nullptr) advance(next + 1);
    return entry;
  }

  void* consume() noexcept {
    Held guard{consumer_lock_};
    return consume_unlocked();
  }

  // Takes up to out.size() entries, oldest first. Returns how many. When there are some, but fewer,
  // it looks again after kPatience pauses, which is below a microsecond.
  template <class T>
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    const Position next = next_.load(smp::relaxed);
    std::size_t taken = collect(next, out, 0);
    if (taken != 0) {
      // Producers are at work on this very line. Looking again at once would take it from them for
      // every entry; a moment later there are several.
      if (taken < out.size()) {
        typename Smp::Spinner spinner;
        for (unsigned i = 0; i < kPatience; ++i) spinner.pause();
        taken = collect(next, out, taken);
      }
      advance(next + taken);
    }
    return taken;
  }

  // kPending: the oldest place is reserved and not filled; its producer is in the middle of a call.
  Front front() const noexcept {
    if (peek_unlocked() != nullptr) return Front::kReady;
    const bool reserved = head_.load(Orders::reserve) != next_.load(smp::relaxed);
    return reserved ? Front::kPending : Front::kEmpty;
  }

  bool looks_empty() const noexcept { return peek_unlocked() == nullptr; }
  // Not empty, though the consumer finds nothing: entries of producers that have returned may stand
  // behind the one that is missing.
  bool pending() const noexcept { return front() == Front::kPending; }

  // ---- everybody else at rest ----

  std::size_t count_at_rest() const noexcept {
    return static_cast<std::size_t>(head_.load(Orders::reserve) - next_.load(smp::relaxed));
  }

  // Gives entries (oldest first, as consumed) back to the front; what no longer fits, the oldest
  // ones, goes to destroy(T*).
  template <class T, class Destroy>
  void unconsume(std::span<T* const> entries, Destroy&& destroy) noexcept {
    std::size_t left = entries.size();
    Position next = next_.load(smp::relaxed);
    for (std::size_t room = size_ - count_at_rest(); left > 0 && room > 0; --room) {
      slots_.fill(--next, entries[--left]);
    }
    next_.store(next, smp::relaxed);
    give(next);
    for (std::size_t i = 0; i < left; ++i) destroy(entries[i]);
  }

  // Empties the ring into destroy(void*), oldest first.
  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    Held guard{consumer_lock_};
    while (void* entry = consume_unlocked()) destroy(entry);
  }

  // Moves the entries, oldest first, into new_size places; the newest that do not fit go to
  // destroy(void*). False when memory is short: then nothing has changed.
  template <class Destroy>
  bool resize(std::size_t new_size, Destroy&& destroy, Allocate allocate = &allocate_slots<Slot>) {
    MpscRing* self = this;
    return resize_multiple({&self, 1}, new_size, std::forward<Destroy>(destroy), allocate);
  }
  // resize() for several rings as one transaction.
  template <class Destroy>
  static bool resize_multiple(std::span<MpscRing* const> rings, std::size_t new_size,
                              Destroy&& destroy, Allocate allocate = &allocate_slots<Slot>) {
    return resize_all(rings, new_size, destroy, allocate);
  }

  // For resize_all().
  static constexpr std::size_t slots_for(std::size_t size) noexcept {
    return std::bit_ceil(std::max<std::size_t>(size, 1));
  }
  template <class Destroy>
  void replace_slots(std::size_t new_size, std::unique_ptr<Slot[]> slots, Destroy& destroy) {
    MpscRing old{std::move(*this)};
    adopt(new_size, std::move(slots), 0);
    while (void* entry = old.consume_unlocked()) {
      if (!produce(entry)) destroy(entry);
    }
  }

 private:
  static constexpr std::size_t kGroup = 64;
  // Places whose lines a producer asks for in advance: the next reservation is a locked
  // instruction, which would wait for the stores before it, and they for their lines.
  static constexpr std::size_t kAhead = 2 * Slots::kPerLine;
  static constexpr std::size_t kAheadOfBurst = 4 * Slots::kPerLine;
  static constexpr unsigned kPatience = 48;

  // For replace_slots(): what the consumer needs to read what is left.
  MpscRing(MpscRing&& other) noexcept
      : array_{std::move(other.array_)}, slots_{other.slots_}, size_{other.size_} {
    head_.store(other.head_.load(Orders::reserve), Orders::reserve);
    next_.store(other.next_.load(smp::relaxed), smp::relaxed);
    given_.set(other.given_.get());
  }

  static std::int64_t distance(Position from, Position to) noexcept {
    return static_cast<std::int64_t>(to - from);
  }

  // At most a quarter of the ring looks full though it is free. A power of two: groups are aligned.
  static constexpr std::size_t group_for(std::size_t size) noexcept {
    return std::clamp<std::size_t>(std::bit_floor(size / 4), 1, kGroup);
  }

  template <class T>
  std::size_t collect(Position next, std::span<T*> out, std::size_t taken) const noexcept {
    while (taken < out.size()) {
      void* const entry = slots_.at(next + taken);
      if (entry == nullptr) break;
      out[taken++] = static_cast<T*>(entry);
    }
    return taken;
  }

  // Up to `wanted` places from `at` on. 0: full, as far as the consumer has said.
  std::size_t reserve(std::size_t wanted, Position& at) noexcept {
    Position head = head_.load(Orders::reserve);
    for (;;) {
      // Below zero: this head is newer than that limit. A head out of date makes the room look too
      // large, and the exchange fail.
      std::int64_t room = distance(head, seen_limit_.load(Orders::take));
      if (room < static_cast<std::int64_t>(wanted)) {
        const Position limit = limit_.load(Orders::take);
        seen_limit_.store(limit, Orders::share);
        room = distance(head, limit);
        if (room <= 0) {
          const Position again = head_.load(Orders::reserve);
          if (again == head) return 0;
          head = again;
          continue;
        }
      }
      const std::size_t count = std::min(wanted, static_cast<std::size_t>(room));
      at = head;
      if (head_.compare_exchange(head, head + count, Orders::reserve, Orders::reserve)) {
        return count;
      }
    }
  }

  void advance(Position next) noexcept {
    next_.store(next, smp::relaxed);
    const Position boundary = next & ~static_cast<Position>(group_ - 1);
    // After unconsume(), or at an odd start, given_ may lie beyond the boundary.
    if (distance(given_.get(), boundary) > 0) [[unlikely]] {
      given_.set(boundary);
      limit_.store(boundary + size_, Orders::give);
    }
  }

  // At rest: places before `next` are free from now on, and no others.
  void give(Position next) noexcept {
    given_.set(next);
    limit_.store(next + size_, Orders::give);
    seen_limit_.store(next + size_, Orders::share);
  }

  void adopt(std::size_t size, std::unique_ptr<Slot[]> slots, Position start) noexcept {
    array_ = std::move(slots);
    slots_.adopt(array_.get(), slots_for(size), start);
    size_ = size;
    group_ = group_for(size);
    head_.store(start, Orders::reserve);
    next_.store(start, smp::relaxed);
    give(start);
  }

  // Producers. seen_limit_: a limit_ of some time ago.
  alignas(kCacheLine) typename Smp::template atomic<Position> head_{};
  typename Smp::template atomic<Position> seen_limit_{};

  // Written by the consumer once a group.
  alignas(kCacheLine) typename Smp::template atomic<Position> limit_{};

  // The consumer's own; others read next_ for looks_empty().
  alignas(kCacheLine) typename Smp::template atomic<Position> next_{};
  typename Smp::template var<Position> given_{};
  TestAndSetLock<Smp> consumer_lock_;

  // Read by everyone, written at rest.
  alignas(kCacheLine) std::unique_ptr<Slot[]> array_;
  Slots slots_;
  std::size_t size_ = 0;
  std::size_t group_ = 1;
};

}  // namespace qdiscsim
