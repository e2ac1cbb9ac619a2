// RteBandRing: an RteRing with many producers and one consumer, in the shape that pfifo_fast's
// bands and the page_pool's ring expect (ring/ptr_ring.h has the same members).
//
// Capacity is exactly size(), 0 makes every produce fail. Unlike in PtrRing a consumed slot is free
// at once. ProducerSync says how producers are kept apart (ring/rte_sync.h); with MultiThread a
// preempted producer stops all others, with RelaxedTailSync and HeadTailSync it may hold up those
// who wish to enter.
//
// Threads. produce and produce_batched: as ProducerSync says. consume(): any thread, they take
// turns behind a lock; the _unlocked forms: the only consumer, and no consume() meanwhile.
// looks_empty(): any thread; "empty" was true, "not empty" may be out of date. cleanup: producers
// may go on. count_at_rest and resize: everybody at rest.
// Errors: produce answers false when there is no room; resize answers false when memory is short
// and changes nothing. Nothing throws on the data path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "ring/resize.h"
#include "ring/rte_ring.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

template <class Smp, class ProducerSync = MultiThread, class Lock = TestAndSetLock<Smp>,
          class Orders = RteRingOrders>
class RteBandRing {
 public:
  using Ring = RteRing<Smp, ProducerSync, SingleThread, Orders>;
  using Slot = typename Ring::Slot;
  using Allocate = SlotAllocator<Slot>;

  static constexpr const char* kName = ProducerSync::kName;
  static constexpr std::size_t kMaxSize = kRteMaxSlots - 1;

  // size: 0 .. kMaxSize. Throws std::length_error, std::bad_alloc.
  explicit RteBandRing(std::size_t size) : ring_{size, RteRingOptions{.exact = true}} {}

  std::size_t size() const noexcept { return ring_.capacity(); }

  // ---- producers ----

  bool produce(void* entry) noexcept { return ring_.enqueue(entry); }
  // The policy already knows whether there is only one producer.
  bool produce_unlocked(void* entry) noexcept { return ring_.enqueue(entry); }
  // Stores as many as fit, in order and side by side. Returns how many.
  template <class T>
  std::size_t produce_batched(std::span<T* const> entries) noexcept {
    return ring_.enqueue_burst(entries).count;
  }

  // ---- consumer ----

  void* consume_unlocked() noexcept { return ring_.dequeue(); }
  void* consume() noexcept {
    Held guard{consumer_lock_};
    return consume_unlocked();
  }
  // The oldest entry, which stays in the ring; null when empty.
  void* peek_unlocked() const noexcept { return ring_.front(); }
  // Takes up to out.size() entries, oldest first. Returns how many.
  template <class T>
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    return ring_.dequeue_burst(out).count;
  }
  template <class T>
  std::size_t consume_batched(std::span<T*> out) noexcept {
    Held guard{consumer_lock_};
    return consume_batched_unlocked(out);
  }

  bool looks_empty() const noexcept { return ring_.empty(); }
  // Not empty, whatever the consumer finds: see RteRing.
  bool pending() const noexcept { return ring_.pending(); }

  // Empties the ring into destroy(void*), oldest first.
  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    Held guard{consumer_lock_};
    while (void* entry = consume_unlocked()) destroy(entry);
  }

  // ---- everybody at rest ----

  std::size_t count_at_rest() const noexcept { return ring_.count(); }

  // Moves the entries, oldest first; what does not fit, the newest, goes to destroy(void*). All
  // rings or none: false when memory is short or new_size over kMaxSize.
  template <class Destroy>
  static bool resize_multiple(std::span<RteBandRing* const> rings, std::size_t new_size,
                              Destroy&& destroy, Allocate allocate = &allocate_array) {
    return new_size <= kMaxSize && resize_all(rings, new_size, destroy, allocate);
  }
  template <class Destroy>
  bool resize(std::size_t new_size, Destroy&& destroy, Allocate allocate = &allocate_array) {
    RteBandRing* self = this;
    return resize_multiple({&self, 1}, new_size, std::forward<Destroy>(destroy), allocate);
  }

  static std::unique_ptr<Slot[]> allocate_array(std::size_t count) {
    return allocate_slots<Slot>(count);
  }

  // For resize_all: the array's length for a size, and the exchange.
  static std::size_t slots_for(std::size_t size) {
    return Ring::Slots::array_length(rte_slot_count(size, true));
  }
  template <class Destroy>
  void replace_slots(std::size_t new_size, std::unique_ptr<Slot[]> array, Destroy& destroy) {
    const auto slots = static_cast<std::uint32_t>(rte_slot_count(new_size, true));
    ring_.replace({std::move(array), slots}, static_cast<std::uint32_t>(new_size), destroy);
  }

 private:
  Ring ring_;
  Lock consumer_lock_;
};

}  // namespace qdiscsim
