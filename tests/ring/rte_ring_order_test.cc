// Memory orders of RteRing: see order_test.cmake. The argument names the sync policy of both sides,
// with _ORDER for the order that is weakened.
//
// ThreadSanitizer runs the real machine's values and looks for accesses without a happens-before
// edge. It therefore cannot see the orders that only keep a thread from reading old values, which
// x86 never shows it:
//   reserve, head, retry   (MT, RTS) an old tail of the other side beside a new head lets a thread
//                          reserve slots that are not free. With the values of x86 nobody does, and
//                          every slot access still has its edge through publish and observe.
//   join                   (RTS) an old head beside a new tail lets a thread publish for others
//   that
//                          have not finished. The same.
// They are for the interleaving checker; RteRingOrdersBefore2025 is there for it.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/smp_native.h"
#include "ring/rte_ring.h"

namespace qdiscsim {
namespace {

struct WeakPublish : RteRingOrders {
  static constexpr smp::order publish = smp::relaxed;
  // RelaxedTailSync publishes with a CAS, and g++ rejects one that fails with more order than it
  // succeeds with. Without a release there is nothing to join.
  static constexpr smp::order join = smp::relaxed;
};
struct WeakObserve : RteRingOrders {
  static constexpr smp::order observe = smp::relaxed;
};
struct WeakTurn : RteRingOrders {
  static constexpr smp::order turn = smp::relaxed;
};
struct WeakEnter : RteRingOrders {
  static constexpr smp::order enter = smp::relaxed;
};

// Every item is written by a producer and then by the consumer that takes it, and every slot is
// used again by others: each handover is a race when it fails.
template <class Sync, class Orders>
int pass_items() {
  constexpr std::uint32_t kThreads = std::is_same_v<Sync, SingleThread> ? 1 : 2;
  constexpr std::uint32_t kItems = 4'000;  // a producer
  RteRing<smp::Native, Sync, Sync, Orders> ring{32};
  std::array<std::vector<std::uint32_t>, kThreads> items;
  std::atomic<std::uint32_t> missing{kThreads * kItems};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    items.at(t).resize(kItems);
    threads.emplace_back([&, t] {
      smp::Native::Spinner spinner;
      for (std::uint32_t& item : items.at(t)) {
        item = 1;
        while (!ring.enqueue(&item)) spinner.pause();
      }
    });
    threads.emplace_back([&] {
      smp::Native::Spinner spinner;
      while (missing.load(std::memory_order_relaxed) != 0) {
        std::array<std::uint32_t*, 8> out{};
        const std::uint32_t got = ring.dequeue_burst(std::span<std::uint32_t*>{out}).count;
        for (std::uint32_t i = 0; i < got; ++i) ++*out.at(i);
        missing.fetch_sub(got, std::memory_order_relaxed);
        if (got == 0) spinner.pause();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& of_one : items) {
    for (const std::uint32_t item : of_one) {
      if (item != 2) return 1;
    }
  }
  return 0;
}

// One after the other, but nothing except the ring orders them: the second producer publishes after
// the first, and the consumer looks only then. It meets the first one's entry through the second.
template <class Sync, class Orders>
int relay() {
  RteRing<smp::Native, Sync, SingleThread, Orders> ring{4};
  std::array<std::uint32_t, 2> items{};
  std::atomic<std::uint32_t> turn{0};
  const auto produce = [&](std::uint32_t who) {
    smp::Native::Spinner spinner;
    while (turn.load(std::memory_order_relaxed) != who) spinner.pause();
    items.at(who) = who + 1;
    ring.enqueue(&items.at(who));
    turn.store(who + 1, std::memory_order_relaxed);
  };
  std::thread first{produce, 0};
  std::thread second{produce, 1};
  smp::Native::Spinner spinner;
  while (turn.load(std::memory_order_relaxed) != 2) spinner.pause();
  std::uint32_t sum = 0;
  while (void* item = ring.dequeue()) sum += *static_cast<std::uint32_t*>(item);
  first.join();
  second.join();
  return sum == 3 ? 0 : 1;
}

template <class Sync, class Orders>
int scenarios() {
  if constexpr (!std::is_same_v<Sync, SingleThread>) {
    if (relay<Sync, Orders>() != 0) return 1;
  }
  return pass_items<Sync, Orders>();
}

template <class Sync>
int run_with(const std::string& order) {
  if (order.empty()) return scenarios<Sync, RteRingOrders>();
  if (order == "publish") return scenarios<Sync, WeakPublish>();
  if (order == "observe") return scenarios<Sync, WeakObserve>();
  if (order == "turn") return scenarios<Sync, WeakTurn>();
  if (order == "enter") return scenarios<Sync, WeakEnter>();
  return 2;
}

int run(const std::string& variant) {
  const std::size_t end = variant.find('_');
  const std::string sync = variant.substr(0, end);
  const std::string order = end == std::string::npos ? "" : variant.substr(end + 1);
  if (sync == "st") return run_with<SingleThread>(order);
  if (sync == "mt") return run_with<MultiThread>(order);
  if (sync == "rts") return run_with<RelaxedTailSync>(order);
  if (sync == "hts") return run_with<HeadTailSync>(order);
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  const int result = argc == 2 ? qdiscsim::run(argv[1]) : 2;
  if (result == 2) std::fprintf(stderr, "which variant?\n");
  return result;
}
