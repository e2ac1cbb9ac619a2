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
// anyone, except during a resize; its answer can be stale in both directions, and with ZeroBatch a
// third thread can see "empty" for a ring that is not (see clear policies).
//
// Consumed slots are cleared late, in batches of two cache lines, so a full ring of 32 or more
// entries accepts nothing new until a whole batch (or the end of the array) has been consumed.
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
  // The entry's content must be visible before the pointer to it. Partner: observe.
  static constexpr smp::order publish = smp::release;
  static constexpr smp::order observe = smp::acquire;
  // "Is this slot free?" needs coherence of one word only: the producer never reads through it.
  static constexpr smp::order probe = smp::relaxed;
  static constexpr smp::order clear = smp::relaxed;
  // The consumer's head is its own; others read it for looks_empty(), whose answer is a hint.
  static constexpr smp::order head = smp::relaxed;
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

  std::size_t size() const noexcept { return size_; }
  std::size_t batch() const noexcept { return batch_; }

  // ---- producer side ----

  bool produce_unlocked(void* entry) noexcept {
    Slot& slot = slots_[producer_.get()];
    if (slot.load(Orders::probe) != nullptr || size_ == 0) return false;
    slot.store(entry, Orders::publish);
    producer_.set(after(producer_.get()));
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
    return size_ == 0 || slots_[producer_.get()].load(Orders::probe) != nullptr;
  }
  bool full() noexcept {
    Held guard{producer_lock_};
    return full_unlocked();
  }

  // ---- consumer side ----

  // The oldest entry, which stays in the ring; null when empty.
  void* peek_unlocked() const noexcept {
    return slots_[head_.load(Orders::head)].load(Orders::observe);
  }

  // Calls inspect(entry or null) under the consumer lock and returns its answer.
  template <class Inspect>
  auto peek(Inspect&& inspect) noexcept {
    Held guard{consumer_lock_};
    return std::forward<Inspect>(inspect)(peek_unlocked());
  }

  void* consume_unlocked() noexcept {
    void* entry = peek_unlocked();
    if (entry != nullptr) discard_one();
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

  // A hint for any thread: see the note on threads above.
  bool looks_empty() const noexcept { return peek_unlocked() == nullptr; }

  // Gives entries (oldest first, as consume_batched returned them) back to the front of the ring.
  // What no longer fits, the oldest ones, goes to destroy(T*).
  template <class T, class Destroy>
  void unconsume(std::span<T* const> entries, Destroy&& destroy) noexcept {
    Held consumer_guard{consumer_lock_};
    Held producer_guard{producer_lock_};
    std::size_t left = entries.size();
    if (size_ != 0) {
      // Slots that were read but not yet cleared are free: clear them now, to write there.
      Clear::template flush<Orders>(slots_.get(), tail_.get(), head_.load(Orders::head));
      tail_.set(head_.load(Orders::head));
      while (left > 0) {
        const std::size_t head = head_.load(Orders::head);
        const std::size_t before = head == 0 ? size_ - 1 : head - 1;
        if (slots_[before].load(Orders::probe) != nullptr) break;
        slots_[before].store(entries[--left], Orders::publish);
        tail_.set(before);
        head_.store(before, Orders::head);
      }
    }
    for (std::size_t i = 0; i < left; ++i) destroy(entries[i]);
  }

  // ---- both sides ----

  // How many entries wait, counted slot by slot. Both sides must be at rest.
  std::size_t count_at_rest() const noexcept {
    std::size_t count = 0;
    const std::size_t not_cleared = head_.load(Orders::head) - tail_.get();
    for (std::size_t at = head_.load(Orders::head); count < size_ - not_cleared; at = after(at)) {
      if (slots_[at].load(Orders::probe) == nullptr) break;
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
  std::size_t after(std::size_t index) const noexcept { return index + 1 == size_ ? 0 : index + 1; }

  void discard_one() noexcept {
    const std::size_t next = head_.load(Orders::head) + 1;
    if (next - tail_.get() >= batch_ || next == size_) {
      Clear::template flush<Orders>(slots_.get(), tail_.get(), next);
      const std::size_t wrapped = next == size_ ? 0 : next;
      tail_.set(wrapped);
      head_.store(wrapped, Orders::head);
    } else {
      head_.store(next, Orders::head);
    }
  }

  void reset_array(std::size_t size, std::unique_ptr<Slot[]> slots) noexcept {
    slots_ = std::move(slots);
    size_ = size;
    batch_ = Clear::batch(size);
    producer_.set(0);
    tail_.set(0);
    head_.store(0, Orders::head);
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

  // head_: next slot to read. tail_: first slot that was read but not yet cleared, tail_ <= head_.
  alignas(kCacheLine) typename Smp::template atomic<std::size_t> head_{};
  typename Smp::template var<std::size_t> tail_{};
  Lock consumer_lock_;

  // Read by everyone, written by resize only.
  alignas(kCacheLine) std::size_t size_ = 0;
  std::size_t batch_ = 1;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace qdiscsim
