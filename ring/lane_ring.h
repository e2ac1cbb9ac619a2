// LaneRing: a lane of its own for each producer, and one consumer that drains the lanes in turn.
// Called `lanes` in configuration and benches. No atomic read-modify-write for an entry.
//
// FIFO for each producer only: entries of different producers come out in any order. That is what
// it pays with; a ring that has to keep one order (a band whose packets belong together across
// CPUs) wants MpscRing.
//
// Capacity is size() over all lanes, through credits: a producer takes up to credit_chunk() of them
// from a shared word when it has none, the consumer gives them back in groups. So a lane can hold
// the whole ring when the others rest. What idle lanes keep and what was not given back yet looks
// full: less than half of the size, nothing in rings below 8 x producers entries.
//
//   free_ + credits of all lanes + owed_ + entries = size()
//
// Threads. produce, produce_batched: one thread at a time for each producer number, 0 ..
// producers-1. Forms named _unlocked: one consumer at a time; consume() locks that side. resize,
// unconsume, cleanup, count_at_rest: all others at rest. looks_empty(): any thread, may be stale.
// Errors: produce answers false when there is no room; resize answers false when memory is short
// and changes nothing. Memory: producers + 1 arrays of size() rounded up to a power of two.
// Source: the lanes are Lamport's ring with the slot as the message (lap_slots.h); credits as in
// link-level flow control (PCI Express, InfiniBand).
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

struct LaneRingOrders : LapSlotsOrders {
  // The places were read before a producer gets the credit to fill them again.
  static constexpr smp::order give = smp::release;  // partner: take
  static constexpr smp::order take = smp::acquire;  // partner: give
  static constexpr smp::order look = smp::relaxed;  // only whether taking is worth it
  // How many lanes are in use. Who does not see a new lane yet does not see its first entry either.
  static constexpr smp::order join = smp::relaxed;
};

template <class Smp, class Orders = LaneRingOrders>
class LaneRing {
 public:
  using Slots = LapSlots<Smp, Orders>;
  using Slot = typename Slots::Slot;
  using Position = typename Slots::Position;
  using Allocate = SlotAllocator<Slot>;

  static constexpr const char* kName = "lanes";
  static constexpr bool kByProducer = true;  // produce wants the producer's number

  // Throws std::bad_alloc, and std::length_error above kMaxRingSize. producers: 1 or more. start:
  // the first position of every lane.
  LaneRing(std::size_t size, std::uint32_t producers, Position start = 0)
      : producers_{producers}, lanes_{std::make_unique<Lane[]>(producers + 1)} {
    adopt(size, std::make_unique<Slot[]>(slots_for(checked_ring_size(size))), start);
  }
  LaneRing(const LaneRing&) = delete;
  LaneRing& operator=(const LaneRing&) = delete;

  std::size_t size() const noexcept { return size_; }
  std::uint32_t producers() const noexcept { return producers_; }
  std::size_t credit_chunk() const noexcept { return chunk_; }

  // ---- producer number `producer` ----

  bool produce(void* entry, std::uint32_t producer) noexcept {
    Lane& lane = lanes_[producer];
    if (lane.credit.get() == 0 && !borrow(producer, 1)) return false;
    const Position at = lane.tail.get();
    lane.slots.fill(at, entry);
    if (at % Slots::kPerLine == 0) lane.slots.prefetch(at + kAhead);
    lane.tail.set(at + 1);
    lane.credit.set(lane.credit.get() - 1);
    return true;
  }

  // Stores the first entries that fit. Returns how many.
  template <class T>
  std::size_t produce_batched(std::span<T* const> entries, std::uint32_t producer) noexcept {
    Lane& lane = lanes_[producer];
    if (lane.credit.get() < entries.size()) borrow(producer, entries.size() - lane.credit.get());
    const std::size_t count = std::min<std::size_t>(entries.size(), lane.credit.get());
    const Position at = lane.tail.get();
    for (std::size_t i = 0; i < count; i += Slots::kPerLine)
      lane.slots.prefetch(at + i + kAheadOfBurst);
    // Oldest last: the consumer waits there, and meets this producer when all are in place.
    for (std::size_t i = count; i-- > 0;) lane.slots.fill(at + i, entries[i]);
    lane.tail.set(at + count);
    lane.credit.set(lane.credit.get() - count);
    return count;
  }

  // ---- the consumer ----

  // What the next consume_unlocked() will take, whatever other lanes get meanwhile: their turn
  // comes to the lane that was found.
  void* peek_unlocked() const noexcept {
    const std::uint32_t used = used_.load(Orders::join);
    for (std::uint32_t i = 0, lane = turn_.get(); i <= used; ++i, lane = after(lane, used)) {
      void* const entry = lanes_[lane].front();
      if (entry == nullptr) continue;
      if (i != 0) {
        turn_.set(lane);
        quantum_.set(0);
      }
      return entry;
    }
    return nullptr;
  }

  void* consume_unlocked() noexcept {
    void* entry = nullptr;
    owe(go_round(std::span<void*>{&entry, 1}));
    return entry;
  }

  void* consume() noexcept {
    Held guard{consumer_lock_};
    return consume_unlocked();
  }

  // Takes up to out.size() entries: from the lane whose turn it is, then from the next ones. When
  // there are some, but fewer, it looks again after kPatience pauses, which is below a microsecond.
  template <class T>
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    std::size_t taken = go_round(out);
    if (taken != 0 && taken < out.size()) {
      // Producers are at work on these very lines: looking again at once would take them from them.
      typename Smp::Spinner spinner;
      for (unsigned i = 0; i < kPatience; ++i) spinner.pause();
      taken += go_round(out.subspan(taken));
    }
    owe(taken);
    return taken;
  }

  bool looks_empty() const noexcept {
    const std::uint32_t used = used_.load(Orders::join);
    for (std::uint32_t lane = 0; lane < used; ++lane) {
      if (lanes_[lane].front() != nullptr) return false;
    }
    return lanes_[producers_].front() == nullptr;
  }

  // ---- everybody else at rest ----

  std::size_t count_at_rest() const noexcept {
    std::size_t count = 0;
    for (std::uint32_t lane = 0; lane <= producers_; ++lane) count += lanes_[lane].count();
    return count;
  }

  // Gives entries back to the front, oldest first, as consumed: they wait in a lane of their own,
  // which leaves first. What no longer fits, the oldest ones, goes to destroy(T*).
  template <class T, class Destroy>
  void unconsume(std::span<T* const> entries, Destroy&& destroy) noexcept {
    Lane& returned = lanes_[producers_];
    std::size_t left = entries.size();
    for (std::size_t room = size_ - count_at_rest(); left > 0 && room > 0; --room) {
      const Position at = returned.head.load(smp::relaxed) - 1;
      returned.slots.fill(at, entries[--left]);
      returned.head.store(at, smp::relaxed);
    }
    turn_.set(producers_);
    settle();
    for (std::size_t i = 0; i < left; ++i) destroy(entries[i]);
  }

  // Empties the ring into destroy(void*).
  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    Held guard{consumer_lock_};
    while (void* entry = consume_unlocked()) destroy(entry);
  }

  // The entries stay in their lanes; what does not fit, lane by lane, goes to destroy(void*). False
  // when memory is short: then nothing has changed.
  template <class Destroy>
  bool resize(std::size_t new_size, Destroy&& destroy, Allocate allocate = &allocate_slots<Slot>) {
    LaneRing* self = this;
    return resize_multiple({&self, 1}, new_size, std::forward<Destroy>(destroy), allocate);
  }
  // resize() for several rings as one transaction.
  template <class Destroy>
  static bool resize_multiple(std::span<LaneRing* const> rings, std::size_t new_size,
                              Destroy&& destroy, Allocate allocate = &allocate_slots<Slot>) {
    return resize_all(rings, new_size, destroy, allocate);
  }

  // For resize_all().
  std::size_t slots_for(std::size_t size) const noexcept {
    return lane_slots(size) * (producers_ + 1);
  }
  template <class Destroy>
  void replace_slots(std::size_t new_size, std::unique_ptr<Slot[]> slots, Destroy& destroy);

 private:
  static constexpr std::size_t kGroup = 64;
  static constexpr std::size_t kQuantum = 64;
  // Places fetched in advance.
  static constexpr std::size_t kAhead = 2 * Slots::kPerLine;
  static constexpr std::size_t kAheadOfBurst = 4 * Slots::kPerLine;
  static constexpr unsigned kPatience = 48;

  struct Lane {
    // The producer's.
    alignas(kCacheLine) typename Smp::template var<Position> tail{};
    typename Smp::template var<std::size_t> credit{};
    Slots slots;
    // The consumer's; others read it for looks_empty().
    alignas(kCacheLine) typename Smp::template atomic<Position> head{};
    Slots same_slots;  // a copy: `slots` lies on a line that the producer writes for every entry

    void* front() const noexcept { return same_slots.at(head.load(smp::relaxed)); }
    std::size_t count() const noexcept {
      std::size_t entries = 0;
      const Position first = head.load(smp::relaxed);
      while (entries < slots.count() && slots.at(first + entries) != nullptr) ++entries;
      return entries;
    }
  };

  static constexpr std::size_t lane_slots(std::size_t size) noexcept {
    return std::bit_ceil(std::max<std::size_t>(size, 1));
  }
  // From the lane of what was given back to the first one, from the last one in use to that.
  std::uint32_t after(std::uint32_t lane, std::uint32_t used) const noexcept {
    if (lane == producers_) return 0;
    return lane + 1 >= used ? producers_ : lane + 1;
  }

  // Takes credits from the shared word, at least `wanted` when it has them. False: none came.
  bool borrow(std::uint32_t producer, std::size_t wanted) noexcept {
    std::uint32_t used = used_.load(Orders::join);
    while (used <= producer &&
           !used_.compare_exchange(used, producer + 1, Orders::join, Orders::join)) {
    }
    Lane& lane = lanes_[producer];
    std::uint64_t free = free_.load(Orders::look);
    std::uint64_t take = 0;
    do {
      take = std::min<std::uint64_t>(free, std::max(wanted, chunk_));
      if (take == 0) return false;
    } while (!free_.compare_exchange(free, free - take, Orders::take, Orders::look));
    lane.credit.set(lane.credit.get() + take);
    return true;
  }
  void owe(std::size_t taken) noexcept {
    const std::size_t owed = owed_.get() + taken;
    const bool due = owed >= group_ || (taken == 0 && owed != 0);
    if (due) [[unlikely]]
      free_.fetch_add(owed, Orders::give);
    owed_.set(due ? 0 : owed);
  }

  template <class T>
  std::size_t go_round(std::span<T*> out) noexcept {
    const std::uint32_t used = used_.load(Orders::join);
    std::size_t taken = 0;
    for (std::uint32_t visited = 0; visited <= used && taken < out.size(); ++visited) {
      const std::uint32_t turn = turn_.get();
      const std::size_t got = drain(lanes_[turn], out.subspan(taken));
      taken += got;
      quantum_.set(quantum_.get() + got);
      // A lane keeps its turn for kQuantum entries at most, or the others would wait for ever; what
      // was given back is older than all of them and goes first.
      const bool over = quantum_.get() >= kQuantum && turn != producers_;
      if (taken < out.size() || over) {
        turn_.set(after(turn, used));
        quantum_.set(0);
      }
    }
    return taken;
  }

  template <class T>
  std::size_t drain(Lane& lane, std::span<T*> out) noexcept {
    const Position head = lane.head.load(smp::relaxed);
    std::size_t taken = 0;
    for (; taken < out.size(); ++taken) {
      void* const entry = lane.same_slots.at(head + taken);
      if (entry == nullptr) break;
      out[taken] = static_cast<T*>(entry);
    }
    if (taken != 0) lane.head.store(head + taken, smp::relaxed);
    return taken;
  }

  // At rest: all credits that no entry needs are in the shared word.
  void settle() noexcept {
    for (std::uint32_t lane = 0; lane <= producers_; ++lane) lanes_[lane].credit.set(0);
    owed_.set(0);
    free_.store(size_ - count_at_rest(), Orders::give);
  }

  void adopt(std::size_t size, std::unique_ptr<Slot[]> slots, Position start) noexcept {
    array_ = std::move(slots);
    size_ = size;
    chunk_ = std::clamp<std::size_t>(size / (4 * std::size_t{producers_}), 1, kGroup);
    group_ = std::clamp<std::size_t>(size / 4, 1, kGroup);
    const std::size_t each = lane_slots(size);
    for (std::uint32_t i = 0; i <= producers_; ++i) {
      lanes_[i].slots.adopt(array_.get() + i * each, each, start);
      lanes_[i].same_slots = lanes_[i].slots;
      lanes_[i].tail.set(start);
      lanes_[i].head.store(start, smp::relaxed);
    }
    turn_.set(producers_);
    quantum_.set(0);
    settle();
  }

  // Producers and consumer meet here, once a chunk or group.
  alignas(kCacheLine) typename Smp::template atomic<std::uint64_t> free_{};

  // The consumer's own.
  alignas(kCacheLine) mutable
      typename Smp::template var<std::uint32_t> turn_{};       // producers_: returned
  mutable typename Smp::template var<std::size_t> quantum_{};  // entries in this turn
  typename Smp::template var<std::size_t> owed_{};             // credits not given back yet
  TestAndSetLock<Smp> consumer_lock_;

  // Read by everyone, written at rest.
  alignas(kCacheLine) std::uint32_t producers_;
  // Lanes below this have had an entry: an idle number costs the consumer nothing. Written at a
  // producer's first entry.
  typename Smp::template atomic<std::uint32_t> used_{};
  std::size_t size_ = 0;
  std::size_t chunk_ = 1;
  std::size_t group_ = 1;
  std::unique_ptr<Lane[]> lanes_;  // the last one for entries that were given back
  std::unique_ptr<Slot[]> array_;
};

template <class Smp, class Orders>
template <class Destroy>
void LaneRing<Smp, Orders>::replace_slots(std::size_t new_size, std::unique_ptr<Slot[]> slots,
                                          Destroy& destroy) {
  const std::unique_ptr<Slot[]> old_array = std::move(array_);
  std::unique_ptr<Lane[]> old = std::move(lanes_);
  lanes_ = std::make_unique<Lane[]>(producers_ + 1);
  adopt(new_size, std::move(slots), 0);
  std::size_t room = new_size;
  // The lane of what was given back first: these are the oldest.
  for (std::uint32_t i = 0; i <= producers_; ++i) {
    const std::uint32_t lane = i == 0 ? producers_ : i - 1;
    const Position head = old[lane].head.load(smp::relaxed);
    const Position end = head + old[lane].count();
    for (Position at = head; at != end; ++at) {
      void* const entry = old[lane].slots.at(at);
      if (room == 0) {
        destroy(entry);
        continue;
      }
      lanes_[lane].slots.fill(lanes_[lane].tail.get(), entry);
      lanes_[lane].tail.set(lanes_[lane].tail.get() + 1);
      --room;
    }
  }
  settle();
}

}  // namespace qdiscsim
