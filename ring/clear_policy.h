// When a PtrRing gives consumed slots back to its producers: its generations, each a policy.
//
//   ZeroEach                clears a slot as it is consumed, then moves the head (2016)
//   ZeroBatch               clears two cache lines at a time, then moves the head (2017; mainline)
//   ClearAfterHead          moves the head first, then clears the same batch (proposed in 2021)
//   ClearAfterHeadBarriers  the same, and a looks_empty() that any thread may rely on (2021)
//   FlushOnEmpty<Policy>    Policy, whose consumer clears the rest when it finds the ring empty
//
// What a third thread is told. looks_empty() reads the head, then the slot there. Between clearing
// and the move of the head it finds a cleared slot: "empty", for a ring that is not. ZeroEach and
// ZeroBatch have that window at each clearing. With the head moved first there is none; what is
// left is a thread that is held up between its two reads, and it finds out by reading the head
// again.
//
// A policy offers, to a PtrRing with that consumer and that array (both templates below):
//   batch(size)                            how many consumed slots are cleared at once
//   consumed<Orders>(consumer, array, at)  the entry at the head, slot `at`, was read
//   flush<Orders>(consumer, array)         clears all that was read: the next produce can have it
//   uncleared<Orders>(consumer)            how many slots flush would clear
//   restart<Orders>(consumer, array, at)   the head is now `at`, and all before it is cleared
//   kMovesHeadFirst, kFlushOnEmpty, kName
//   kClear, kMove, kLook<Orders>           the orders of clearing, of moving the head, and of
//                                          looks_empty()'s look at the head
// Consumer side only.
// Source of the behaviour: include/linux/ptr_ring.h of the kernel, and the series "add benchmark
// selftest and optimization for ptr_ring" on the netdev list, version 3 of July 2021.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/cacheline.h"
#include "base/smp.h"

namespace qdiscsim {

template <class Smp>
struct RingConsumer {
  typename Smp::template atomic<std::size_t> head{};  // next slot to read
  // First slot that was read but not yet cleared, <= head. ZeroEach does not keep it.
  typename Smp::template var<std::size_t> tail{};
  // Where the head will be when slots are cleared next. Only the head-first generations keep it.
  typename Smp::template var<std::size_t> due{};
};

template <class Smp>
struct RingArray {
  std::size_t size = 0;
  std::size_t batch = 1;
  std::unique_ptr<typename Smp::template atomic<void*>[]> slots;
};

// The head as a hint: in time, everyone sees it move and the slots become free.
struct HeadIsAHint {
  static constexpr bool kFlushOnEmpty = false;
  template <class Orders>
  static constexpr smp::order kClear = Orders::clear;
  template <class Orders>
  static constexpr smp::order kMove = Orders::head;
  template <class Orders>
  static constexpr smp::order kLook = Orders::head;
};

struct ZeroEach : HeadIsAHint {
  static constexpr const char* kName = "zero_each";
  static constexpr bool kMovesHeadFirst = false;

  static constexpr std::size_t batch(std::size_t /*size*/) noexcept { return 1; }

  template <class Orders, class Smp>
  static void consumed(RingConsumer<Smp>& consumer, const RingArray<Smp>& array,
                       std::size_t at) noexcept {
    array.slots[at].store(nullptr, kClear<Orders>);
    consumer.head.store(at + 1 == array.size ? 0 : at + 1, kMove<Orders>);
  }

  template <class Orders, class Smp>
  static void flush(RingConsumer<Smp>& /*consumer*/, const RingArray<Smp>& /*array*/) noexcept {}

  template <class Orders, class Smp>
  static std::size_t uncleared(const RingConsumer<Smp>& /*consumer*/) noexcept {
    return 0;
  }

  template <class Orders, class Smp>
  static void restart(RingConsumer<Smp>& consumer, const RingArray<Smp>& /*array*/,
                      std::size_t at) noexcept {
    consumer.head.store(at, kMove<Orders>);
  }
};

// What the generations with batches share. In rings too small for two batches each slot is cleared
// at once.
template <class Derived>
struct InBatches {
  static constexpr std::size_t batch(std::size_t size) noexcept {
    constexpr std::size_t kBatch = 2 * kCacheLine / sizeof(void*);
    return kBatch * 2 > size ? 1 : kBatch;
  }

  template <class Orders, class Smp>
  static void flush(RingConsumer<Smp>& consumer, const RingArray<Smp>& array) noexcept {
    const std::size_t head = consumer.head.load(Orders::head);
    std::size_t to = head;
    while (to > consumer.tail.get()) {
      array.slots[--to].store(nullptr, Derived::template kClear<Orders>);
    }
    Derived::template set_tail<Smp>(consumer, array, head);
  }

  template <class Orders, class Smp>
  static void restart(RingConsumer<Smp>& consumer, const RingArray<Smp>& array,
                      std::size_t at) noexcept {
    Derived::template set_tail<Smp>(consumer, array, at);
    consumer.head.store(at, Derived::template kMove<Orders>);
  }

  template <class Orders, class Smp>
  static std::size_t uncleared(const RingConsumer<Smp>& consumer) noexcept {
    return consumer.head.load(Orders::head) - consumer.tail.get();
  }
};

// Two cache lines at a time, newest slot first. The producer waits at the oldest slot, so it meets
// the consumer only when the whole batch is free, and each line changes hands once.
struct ZeroBatch : HeadIsAHint, InBatches<ZeroBatch> {
  static constexpr const char* kName = "zero_batch";
  static constexpr bool kMovesHeadFirst = false;

  template <class Orders, class Smp>
  static void consumed(RingConsumer<Smp>& consumer, const RingArray<Smp>& array,
                       std::size_t at) noexcept {
    const std::size_t next = at + 1;
    const std::size_t tail = consumer.tail.get();
    if (next - tail >= array.batch || next == array.size) [[unlikely]] {
      auto* const slots = array.slots.get();
      for (std::size_t to = next; to > tail;) slots[--to].store(nullptr, kClear<Orders>);
      const std::size_t moved = next == array.size ? 0 : next;
      consumer.tail.set(moved);
      consumer.head.store(moved, kMove<Orders>);
    } else {
      consumer.head.store(next, kMove<Orders>);
    }
  }

  template <class Smp>
  static void set_tail(RingConsumer<Smp>& consumer, const RingArray<Smp>& /*array*/,
                       std::size_t at) noexcept {
    consumer.tail.set(at);
  }
};

// The head does not wait for the clearing. Nor does anything else: tail and due are final before
// the first slot is cleared, so the usual case is one comparison (the proposal, too, took a
// comparison out of it) and the loop has only its own two ends to think of. Fewer instructions an
// entry than ZeroBatch, which needs two comparisons and its indices after the loop.
template <class Derived>
struct HeadFirst : InBatches<Derived> {
  static constexpr bool kMovesHeadFirst = true;

  template <class Orders, class Smp>
  static void consumed(RingConsumer<Smp>& consumer, const RingArray<Smp>& array,
                       std::size_t at) noexcept {
    const std::size_t next = at + 1;
    if (next != consumer.due.get()) [[likely]] {
      consumer.head.store(next, Derived::template kMove<Orders>);
      return;
    }
    const std::size_t tail = consumer.tail.get();
    Derived::template restart<Orders>(consumer, array, next == array.size ? 0 : next);
    // At least the slot just read is to be cleared. Newest first, as in ZeroBatch.
    auto* slot = array.slots.get() + next;
    auto* const oldest = array.slots.get() + tail;
    do {
      (--slot)->store(nullptr, Derived::template kClear<Orders>);
    } while (slot != oldest);
  }

  template <class Smp>
  static void set_tail(RingConsumer<Smp>& consumer, const RingArray<Smp>& array,
                       std::size_t at) noexcept {
    consumer.tail.set(at);
    consumer.due.set(std::min(at + array.batch, array.size));
  }
};

struct ClearAfterHead : HeadIsAHint, HeadFirst<ClearAfterHead> {
  static constexpr const char* kName = "clear_after_head";
};

// Differs from ClearAfterHead in its orders only (PtrRingOrders names the partners):
//
//   move -> look      who sees the head at a slot also sees that slot cleared since the last turn:
//                     an empty ring does not look occupied by an entry of then
//   clear -> observe  who finds a cleared slot and reads the head again sees that it has moved on:
//                     a ring does not look empty by a slot that the consumer has left
//
// The proposal had two barriers a turn at the end of the array. An order on each access says the
// same, costs nothing on x86-64, and ThreadSanitizer sees it.
struct ClearAfterHeadBarriers : HeadFirst<ClearAfterHeadBarriers> {
  static constexpr const char* kName = "clear_after_head_barriers";
  static constexpr bool kFlushOnEmpty = false;
  template <class Orders>
  static constexpr smp::order kClear = Orders::ordered_clear;
  template <class Orders>
  static constexpr smp::order kMove = Orders::ordered_move;
  template <class Orders>
  static constexpr smp::order kLook = Orders::ordered_look;
};

// A consumer that has drained the ring leaves all of it to the producers: without this, up to
// batch - 1 slots go on looking full until the consumer gets further. Its price is a comparison
// whenever nothing is found, and batches that no longer begin at a cache line.
template <class Policy>
struct FlushOnEmpty : Policy {
  static constexpr bool kFlushOnEmpty = true;
};

}  // namespace qdiscsim
