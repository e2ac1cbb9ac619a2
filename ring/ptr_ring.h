// PtrRing: a bounded ring of non-null pointers with the behaviour of Linux's ptr_ring.
//
// The slot is the message: null means free, anything else is an entry. Neither side ever reads the
// other's index, so in steady state one cache line at a time moves between producer and consumer.
// Capacity is exactly size(); it need not be a power of two; 0 makes every produce fail.
//
// Threads. Any thread may call the locked forms (produce, consume, ...). An _unlocked form needs
// the caller to be the only one on that side: for pfifo_fast the holder of the run state is the
// consumer, for page_pool the owner of the pool. resize() and unconsume() take both locks, consumer
// first; neither sees an _unlocked caller, who must rest meanwhile. looks_empty() may be asked by
// anyone, except during a resize; how far its answer goes depends on the generation (see there).
//
// Generations. `Clear` decides when consumed slots are given back: ring/clear_policy.h. All but
// ZeroEach clear late, in batches of two cache lines, so a full ring of 32 or more entries accepts
// nothing new until a whole batch (or the end of the array) has been consumed.
//
// Errors: produce answers false when there is no free slot; resize answers false when memory is
// short and then changes nothing. Nothing throws on the data path.
// Source of the behaviour: include/linux/ptr_ring.h of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/clear_policy.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

struct PtrRingOrders {
  // The entry's content must be visible before the pointer to it.
  static constexpr smp::order publish = smp::release;  // partner: observe
  static constexpr smp::order observe = smp::acquire;  // partners: publish, ordered_clear
  // "Is this slot free?" needs coherence of one word only: the producer never reads through it.
  static constexpr smp::order probe = smp::relaxed;
  static constexpr smp::order clear = smp::relaxed;
  // The consumer's head is its own; others read it for looks_empty(), whose answer is a hint.
  static constexpr smp::order head = smp::relaxed;
  // In place of clear and head with ClearAfterHeadBarriers, where the answer is more than a hint.
  static constexpr smp::order ordered_clear = smp::release;  // partner: observe in looks_empty
  static constexpr smp::order ordered_move = smp::release;   // partner: ordered_look
  static constexpr smp::order ordered_look = smp::acquire;   // partner: ordered_move
};

template <class Smp, class Lock = TestAndSetLock<Smp>, class Clear = ZeroBatch,
          class Orders = PtrRingOrders>
class PtrRing {
 public:
  using Slot = typename Smp::template atomic<void*>;
  // Returns null when memory is short; tests hand in one that fails on purpose.
  using Allocate = std::unique_ptr<Slot[]> (*)(std::size_t);

  // Throws std::bad_alloc. Constructing does not publish the ring: hand it to threads by their
  // start.
  explicit PtrRing(std::size_t size) {
    reset_array(size, std::make_unique<Slot[]>(slots_for(size)));
  }
  PtrRing(const PtrRing&) = delete;
  PtrRing& operator=(const PtrRing&) = delete;

  std::size_t size() const noexcept { return array_.size; }
  // After how many consumed entries their slots are given back.
  std::size_t batch() const noexcept { return array_.batch; }

  // ---- producer side ----

  bool produce_unlocked(void* entry) noexcept {
    const std::size_t at = producer_.get();
    Slot& slot = array_.slots[at];
    if (slot.load(Orders::probe) != nullptr || array_.size == 0) return false;
    slot.store(entry, Orders::publish);
    producer_.set(after(at));
    return true;
  }

  bool produce(void* entry) noexcept {
    Held guard{producer_lock_};
    return produce_unlocked(entry);
  }

  // Stores as many of entries as fit, in order, under one lock. Returns how many.
  template <class T>
  std::size_t produce_batched(std::span<T* const> entries) noexcept {
    Held guard{producer_lock_};
    std::size_t stored = 0;
    while (stored < entries.size() && produce_unlocked(entries[stored])) ++stored;
    return stored;
  }

  // True when the next produce would fail. Only meaningful to the holder of the producer side.
  bool full_unlocked() const noexcept {
    return array_.size == 0 || array_.slots[producer_.get()].load(Orders::probe) != nullptr;
  }
  bool full() noexcept {
    Held guard{producer_lock_};
    return full_unlocked();
  }

  // ---- consumer side ----

  // The oldest entry, which stays in the ring; null when empty.
  void* peek_unlocked() const noexcept {
    return array_.slots[consumer_.head.load(Orders::head)].load(Orders::observe);
  }

  // Calls inspect(entry or null) under the consumer lock and returns its answer.
  template <class Inspect>
  auto peek(Inspect&& inspect) noexcept {
    Held guard{consumer_lock_};
    return std::forward<Inspect>(inspect)(peek_unlocked());
  }

  void* consume_unlocked() noexcept {
    const std::size_t at = consumer_.head.load(Orders::head);
    void* entry = array_.slots[at].load(Orders::observe);
    if (entry == nullptr) [[unlikely]] {
      if constexpr (Clear::kFlushOnEmpty) Clear::template flush<Orders>(consumer_, array_);
      return nullptr;
    }
    Clear::template consumed<Orders>(consumer_, array_, at);
    return entry;
  }

  void* consume() noexcept {
    Held guard{consumer_lock_};
    return consume_unlocked();
  }

  // Takes up to out.size() entries, oldest first. Returns how many.
  template <class T>
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    std::size_t taken = 0;
    while (taken < out.size()) {
      void* entry = consume_unlocked();
      if (entry == nullptr) break;
      out[taken++] = static_cast<T*>(entry);
    }
    return taken;
  }

  template <class T>
  std::size_t consume_batched(std::span<T*> out) noexcept {
    Held guard{consumer_lock_};
    return consume_batched_unlocked(out);
  }

  // For any thread: see the note on threads above. Where the head moves before the slots behind it
  // are cleared, a free slot means an empty ring only while the head is still there: the consumer
  // may have gone on between the two reads. (Wrong only when it came round the whole ring in
  // between.)
  bool looks_empty() const noexcept {
    if constexpr (Clear::kMovesHeadFirst) {
      std::size_t at = consumer_.head.load(Clear::template kLook<Orders>);
      while (array_.slots[at].load(Orders::observe) == nullptr) {
        const std::size_t now = consumer_.head.load(Clear::template kLook<Orders>);
        if (now == at) return true;
        at = now;
      }
      return false;
    } else {
      return peek_unlocked() == nullptr;
    }
  }

  // Gives entries (oldest first, as consume_batched returned them) back to the front of the ring.
  // What no longer fits, the oldest ones, goes to destroy(T*).
  template <class T, class Destroy>
  void unconsume(std::span<T* const> entries, Destroy&& destroy) noexcept {
    Held consumer_guard{consumer_lock_};
    Held producer_guard{producer_lock_};
    std::size_t left = entries.size();
    if (array_.size != 0) {
      // Slots that were read but not yet cleared are free: clear them now, to write there.
      Clear::template flush<Orders>(consumer_, array_);
      while (left > 0) {
        const std::size_t head = consumer_.head.load(Orders::head);
        const std::size_t before = (head == 0 ? array_.size : head) - 1;
        if (array_.slots[before].load(Orders::probe) != nullptr) break;
        array_.slots[before].store(entries[--left], Orders::publish);
        Clear::template restart<Orders>(consumer_, array_, before);
      }
    }
    for (std::size_t i = 0; i < left; ++i) destroy(entries[i]);
  }

  // ---- both sides ----

  // How many entries wait, counted slot by slot. Both sides must be at rest.
  std::size_t count_at_rest() const noexcept {
    std::size_t count = 0;
    const std::size_t most = array_.size - Clear::template uncleared<Orders>(consumer_);
    for (std::size_t at = consumer_.head.load(Orders::head); count < most; at = after(at)) {
      if (array_.slots[at].load(Orders::probe) == nullptr) break;
      ++count;
    }
    return count;
  }

  // Moves the entries, oldest first, into an array of new_size; what does not fit, the newest, goes
  // to destroy(void*). False when memory is short: then nothing has changed.
  template <class Destroy>
  bool resize(std::size_t new_size, Destroy&& destroy, Allocate allocate = &allocate_array) {
    PtrRing* self = this;
    return resize_multiple({&self, 1}, new_size, std::forward<Destroy>(destroy), allocate);
  }

  // resize() for several rings as one transaction: every array is allocated before the first ring
  // changes.
  template <class Destroy>
  static bool resize_multiple(std::span<PtrRing* const> rings, std::size_t new_size,
                              Destroy&& destroy, Allocate allocate = &allocate_array) {
    const std::unique_ptr<std::unique_ptr<Slot[]>[]> arrays {
      new (std::nothrow) std::unique_ptr<Slot[]>[ rings.size() ]
    };
    if (arrays == nullptr) return false;
    for (std::size_t i = 0; i < rings.size(); ++i) {
      arrays[i] = allocate(new_size);
      if (arrays[i] == nullptr) return false;
    }
    for (std::size_t i = 0; i < rings.size(); ++i) {
      rings[i]->replace_array(new_size, std::move(arrays[i]), destroy);
    }
    return true;
  }

  // Empties the ring into destroy(void*), oldest first.
  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    Held guard{consumer_lock_};
    while (void* entry = consume_unlocked()) destroy(entry);
  }

  static std::unique_ptr<Slot[]> allocate_array(std::size_t size) {
    return std::unique_ptr<Slot[]>{new (std::nothrow) Slot[slots_for(size)]{}};
  }

 private:
  // A ring of size 0 has one slot, always free: looking for an entry needs no test of the size.
  static constexpr std::size_t slots_for(std::size_t size) noexcept { return size == 0 ? 1 : size; }
  std::size_t after(std::size_t index) const noexcept {
    return index + 1 == array_.size ? 0 : index + 1;
  }

  void reset_array(std::size_t size, std::unique_ptr<Slot[]> slots) noexcept {
    array_.slots = std::move(slots);
    array_.size = size;
    array_.batch = Clear::batch(size);
    producer_.set(0);
    Clear::template restart<Orders>(consumer_, array_, 0);
  }

  template <class Destroy>
  void replace_array(std::size_t new_size, std::unique_ptr<Slot[]> slots, Destroy& destroy) {
    Held consumer_guard{consumer_lock_};
    Held producer_guard{producer_lock_};
    std::size_t kept = 0;
    while (void* entry = consume_unlocked()) {
      if (kept < new_size) {
        slots[kept++].store(entry, Orders::publish);
      } else {
        destroy(entry);
      }
    }
    reset_array(new_size, std::move(slots));
    producer_.set(kept == new_size ? 0 : kept);
  }

  alignas(kCacheLine) typename Smp::template var<std::size_t> producer_{};
  Lock producer_lock_;

  alignas(kCacheLine) RingConsumer<Smp> consumer_;
  Lock consumer_lock_;

  alignas(kCacheLine) RingArray<Smp> array_;  // read by everyone, written by resize only
};

}  // namespace qdiscsim
