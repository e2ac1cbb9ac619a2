// Each memory order of MpscRing and LaneRing that is not relaxed is needed: see order_test.cmake.
// The argument names the scenario (cas, lanes, shared_limit), with _ORDER for the order that is
// weakened.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tests/ring/producer_rings.h"

namespace qdiscsim {
namespace {

template <class Orders>
struct WeakPublish : Orders {
  static constexpr smp::order publish = smp::relaxed;
};
template <class Orders>
struct WeakObserve : Orders {
  static constexpr smp::order observe = smp::relaxed;
};
template <class Orders>
struct WeakGive : Orders {
  static constexpr smp::order give = smp::relaxed;
};
template <class Orders>
struct WeakTake : Orders {
  static constexpr smp::order take = smp::relaxed;
};
struct WeakShare : MpscRingOrders {
  static constexpr smp::order share = smp::relaxed;
};

// Two producers write their items into memory that they use again: when an entry found a place, all
// that are older by the ring's size were read before that place was given back. So size + 1 items
// are enough for each of them, whatever the other does, and every one is a race when an order
// fails, in either direction.
template <class Ring>
int run_ring() {
  constexpr std::size_t kSize = 4;
  constexpr std::uint64_t kItems = 8'000;
  constexpr std::uint32_t kProducers = 2;
  Ring ring{kSize, kProducers};
  std::array<std::array<std::uint64_t, kSize + 1>, kProducers> memory{};
  std::vector<std::thread> producers;
  for (std::uint32_t p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      smp::Native::Spinner spinner;
      for (std::uint64_t i = 0; i < kItems; ++i) {
        std::uint64_t& item = memory.at(p).at(i % (kSize + 1));
        item = i;
        while (!ring.put(&item, p)) spinner.pause();
      }
    });
  }
  smp::Native::Spinner spinner;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < kProducers * kItems; ++i) {
    void* entry = nullptr;
    while ((entry = ring.peek_unlocked()) == nullptr) spinner.pause();
    sum += *static_cast<std::uint64_t*>(entry);
    static_cast<void>(ring.consume_unlocked());
  }
  for (std::thread& producer : producers) producer.join();
  return sum == kProducers * (kItems * (kItems - 1) / 2) ? 0 : 1;
}

// Two producers in turns that order nothing: the first one takes a new limit, the second one uses
// it, having seen nothing of the consumer itself.
template <class Orders>
int shared_limit() {
  constexpr std::uint32_t kRounds = 500;
  test::CasRing<Orders> ring{4, 2};
  smp::Native::atomic<std::uint32_t> turn;
  // Plain, one a round: written before the places are given back.
  std::vector<std::uint64_t> read_before(kRounds + 1);
  int item = 0;
  const auto await = [&](std::uint32_t n) {
    smp::Native::spin_until(
        turn, [n](std::uint32_t now) { return now == n; }, smp::relaxed);
  };
  // Room is certain.
  const auto put = [&](int count) {
    while (count > 0) count -= ring.put(&item, 0) ? 1 : 0;
  };
  std::thread first{[&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      await(3 * round);
      put(3);
      turn.store(3 * round + 1, smp::relaxed);
    }
  }};
  std::uint64_t wrong = 0;  // the second producer's
  std::thread second{[&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      await(3 * round + 1);
      put(1);
      wrong += read_before.at(round) == round ? 0 : 1;
      turn.store(3 * round + 2, smp::relaxed);
    }
  }};
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    await(3 * round + 2);
    read_before.at(round + 1) = round + 1;
    for (int i = 0; i < 4; ++i) {
      while (ring.consume_unlocked() == nullptr) {
      }
    }
    turn.store(3 * round + 3, smp::relaxed);
  }
  first.join();
  second.join();
  return wrong == 0 ? 0 : 1;
}

using Cas = MpscRingOrders;
using LaneOrders = LaneRingOrders;

int run(const std::string& variant) {
  if (variant == "cas") return run_ring<test::CasRing<Cas>>();
  if (variant == "cas_publish") return run_ring<test::CasRing<WeakPublish<Cas>>>();
  if (variant == "cas_observe") return run_ring<test::CasRing<WeakObserve<Cas>>>();
  if (variant == "cas_give") return run_ring<test::CasRing<WeakGive<Cas>>>();
  if (variant == "cas_take") return run_ring<test::CasRing<WeakTake<Cas>>>();
  if (variant == "shared_limit") return shared_limit<Cas>();
  if (variant == "shared_limit_share") return shared_limit<WeakShare>();
  if (variant == "lanes") return run_ring<test::Lanes<LaneOrders>>();
  if (variant == "lanes_publish") return run_ring<test::Lanes<WeakPublish<LaneOrders>>>();
  if (variant == "lanes_observe") return run_ring<test::Lanes<WeakObserve<LaneOrders>>>();
  if (variant == "lanes_give") return run_ring<test::Lanes<WeakGive<LaneOrders>>>();
  if (variant == "lanes_take") return run_ring<test::Lanes<WeakTake<LaneOrders>>>();
  std::fprintf(stderr, "unknown variant '%s'\n", variant.c_str());
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  return qdiscsim::run(argc == 2 ? argv[1] : "");
}
