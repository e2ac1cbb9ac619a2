// Each memory order that is not relaxed is needed: see order_test.cmake. The argument names what
// runs: ring, test_and_set or ticket, with _ORDER for the order that is weakened.

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "ring/ptr_ring.h"
#include "ring/spin_lock.h"

namespace qdiscsim {
namespace {

struct WeakPublish : PtrRingOrders {
  static constexpr smp::order publish = smp::relaxed;
};
struct WeakObserve : PtrRingOrders {
  static constexpr smp::order observe = smp::relaxed;
};
struct WeakEnter : SpinLockOrders {
  static constexpr smp::order enter = smp::relaxed;
};
struct WeakLeave : SpinLockOrders {
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

// Two threads add to a plain number under the lock.
template <class Lock>
int lock() {
  constexpr std::uint64_t kTurns = 5'000;
  Lock lock;
  std::uint64_t sum = 0;
  const auto work = [&] {
    for (std::uint64_t i = 0; i < kTurns; ++i) {
      smp::Native::Spinner spinner;
      if (i % 2 == 0) {
        lock.lock();
      } else {
        while (!lock.try_lock()) spinner.pause();
      }
      ++sum;
      lock.unlock();
    }
  };
  std::thread other{work};
  work();
  other.join();
  return sum == 2 * kTurns ? 0 : 1;
}

using Smp = smp::Native;

int run(const std::string& variant) {
  if (variant == "ring") return ring<PtrRingOrders>();
  if (variant == "ring_publish") return ring<WeakPublish>();
  if (variant == "ring_observe") return ring<WeakObserve>();
  if (variant == "test_and_set") return lock<TestAndSetLock<Smp>>();
  if (variant == "test_and_set_enter") return lock<TestAndSetLock<Smp, WeakEnter>>();
  if (variant == "test_and_set_leave") return lock<TestAndSetLock<Smp, WeakLeave>>();
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
