// Each memory order that is not relaxed is needed: see order_test.cmake. The argument names what
// runs: ring, ring_barriers or a lock, with _ORDER for the order that is weakened.
//
// One order cannot be caught here: ordered_clear (with observe, when it reads what was cleared). It
// is there for a thread that finds a cleared slot and reads the head again, and ThreadSanitizer
// runs on a machine whose second read is never older than its first: the head's own orders then
// cover all that a race could show.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

struct WeakPublish : PtrRingOrders {
  static constexpr smp::order publish = smp::relaxed;
};
struct WeakObserve : PtrRingOrders {
  static constexpr smp::order observe = smp::relaxed;
};
struct WeakMove : PtrRingOrders {
  static constexpr smp::order ordered_move = smp::relaxed;
};
struct WeakLook : PtrRingOrders {
  static constexpr smp::order ordered_look = smp::relaxed;
};
struct WeakEnter : SpinLockOrders {
  static constexpr smp::order enter = smp::relaxed;
};
struct WeakLeave : SpinLockOrders {
  static constexpr smp::order leave = smp::relaxed;
};

// Joining releases the new node and acquires the node ahead or the critical section before.
struct WeakJoinRelease : McsLockOrders {
  static constexpr smp::order join = smp::acquire;
};
struct WeakJoinAcquire : McsLockOrders {
  static constexpr smp::order join = smp::release;
};
struct WeakLink : McsLockOrders {
  static constexpr smp::order link = smp::relaxed;
};
struct WeakFollow : McsLockOrders {
  static constexpr smp::order follow = smp::relaxed;
};
struct WeakPass : McsLockOrders {
  static constexpr smp::order pass = smp::relaxed;
};
struct WeakMcsEnter : McsLockOrders {
  static constexpr smp::order enter = smp::relaxed;
};
struct WeakMcsLeave : McsLockOrders {
  static constexpr smp::order leave = smp::relaxed;
};

// One producer and one consumer without locks: only the slot carries the order. Every item is
// written by one thread and then read by the other, so every handover is a race when it fails.
template <class Orders>
int ring() {
  constexpr std::uint64_t kItems = 20'000;
  PtrRing<smp::Native, NoLock<smp::Native>, ZeroBatch, Orders> ring{64};
  std::vector<std::uint64_t> items(kItems);
  std::thread producer{[&] {
    smp::Native::Spinner spinner;
    for (std::uint64_t i = 0; i < kItems; ++i) {
      items[i] = i;
      while (!ring.produce_unlocked(&items[i])) spinner.pause();
    }
  }};
  smp::Native::Spinner spinner;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kItems; ++i) {
    void* entry = nullptr;
    while ((entry = ring.consume_unlocked()) == nullptr) spinner.pause();
    if (*static_cast<std::uint64_t*>(entry) != i) ++wrong;
  }
  producer.join();
  return wrong == 0 ? 0 : 1;
}

// The consumer answers an item before it takes it out; the producer reads the answer as soon as the
// ring looks empty. Only the move of the head carries the order.
template <class Orders>
int ring_barriers() {
  constexpr std::uint64_t kItems = 5'000;
  PtrRing<smp::Native, NoLock<smp::Native>, ClearAfterHeadBarriers, Orders> ring{64};
  std::vector<std::uint64_t> items(kItems);
  std::vector<std::uint64_t> answers(kItems);
  std::thread consumer{[&] {
    smp::Native::Spinner spinner;
    for (std::uint64_t i = 0; i < kItems; ++i) {
      while (ring.peek_unlocked() == nullptr) spinner.pause();
      answers[i] = items[i] + 1;
      ring.consume_unlocked();
    }
  }};
  smp::Native::Spinner spinner;
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kItems; ++i) {
    items[i] = i;
    while (!ring.produce_unlocked(&items[i])) spinner.pause();
    while (!ring.looks_empty()) spinner.pause();
    if (answers[i] != i + 1) ++wrong;
  }
  consumer.join();
  return wrong == 0 ? 0 : 1;
}

// Two threads add to a plain number under the lock, which they hand over both ways: through nobody,
// as each comes only when the other has left, and to one who waits, as the holder stays until the
// other is (most likely) there. Relaxed words say who is where: they order nothing.
template <class Lock>
int lock() {
  constexpr std::uint64_t kTurns = 1'000;
  Lock lock;
  std::uint64_t sum = 0;
  std::atomic<std::size_t> next{0};
  std::array<std::atomic<std::uint64_t>, 2> comings{};
  const auto in_turn = [&](std::size_t me) {
    for (std::uint64_t i = 0; i < kTurns; ++i) {
      smp::Native::Spinner spinner;
      while (next.load(std::memory_order_relaxed) != me) spinner.pause();
      test::Holder<Lock> holder{lock};
      if (i % 2 != 0 || !holder.try_lock()) holder.lock();
      ++sum;
      holder.unlock();
      next.store(1 - me, std::memory_order_relaxed);
    }
  };
  const auto in_line = [&](std::size_t me) {
    const std::atomic<std::uint64_t>& other = comings.at(1 - me);
    for (std::uint64_t i = 1; i <= kTurns; ++i) {
      comings.at(me).store(i, std::memory_order_relaxed);
      test::Holder<Lock> holder{lock};
      holder.lock();
      ++sum;
      smp::Native::Spinner spinner;
      const std::uint64_t seen = other.load(std::memory_order_relaxed);
      for (int waits = 0; seen < kTurns && waits < 100; ++waits) {
        // It came after this one: a little longer, so that it gets in line.
        if (other.load(std::memory_order_relaxed) != seen) waits += 10;
        spinner.pause();
      }
      holder.unlock();
    }
  };
  const auto work = [&](std::size_t me) {
    in_turn(me);
    in_line(me);
  };
  std::thread other{work, 1};
  work(0);
  other.join();
  return sum == 4 * kTurns ? 0 : 1;
}

using Smp = smp::Native;

int run(const std::string& variant) {
  if (variant == "ring") return ring<PtrRingOrders>();
  if (variant == "ring_publish") return ring<WeakPublish>();
  if (variant == "ring_observe") return ring<WeakObserve>();
  if (variant == "ring_barriers") return ring_barriers<PtrRingOrders>();
  if (variant == "ring_barriers_move") return ring_barriers<WeakMove>();
  if (variant == "ring_barriers_look") return ring_barriers<WeakLook>();
  if (variant == "test_and_set") return lock<TestAndSetLock<Smp>>();
  if (variant == "test_and_set_enter") return lock<TestAndSetLock<Smp, WeakEnter>>();
  if (variant == "test_and_set_leave") return lock<TestAndSetLock<Smp, WeakLeave>>();
  if (variant == "yielding") return lock<YieldingLock<Smp>>();
  if (variant == "yielding_enter") return lock<YieldingLock<Smp, WeakEnter>>();
  if (variant == "yielding_leave") return lock<YieldingLock<Smp, WeakLeave>>();
  if (variant == "mcs") return lock<McsLock<Smp>>();
  if (variant == "mcs_join_release") return lock<McsLock<Smp, WeakJoinRelease>>();
  if (variant == "mcs_join_acquire") return lock<McsLock<Smp, WeakJoinAcquire>>();
  if (variant == "mcs_link") return lock<McsLock<Smp, WeakLink>>();
  if (variant == "mcs_follow") return lock<McsLock<Smp, WeakFollow>>();
  if (variant == "mcs_pass") return lock<McsLock<Smp, WeakPass>>();
  if (variant == "mcs_enter") return lock<McsLock<Smp, WeakMcsEnter>>();
  if (variant == "mcs_leave") return lock<McsLock<Smp, WeakMcsLeave>>();
  if (variant == "ticket") return lock<TicketLock<Smp>>();
  if (variant == "ticket_enter") return lock<TicketLock<Smp, WeakEnter>>();
  if (variant == "ticket_leave") return lock<TicketLock<Smp, WeakLeave>>();
  std::fprintf(stderr, "unknown variant '%s'\n", variant.c_str());
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  return qdiscsim::run(argc == 2 ? argv[1] : "");
}
