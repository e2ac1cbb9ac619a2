// Several producers and one consumer on MpscRing and LaneRing, in rings much smaller than what
// passes through: nothing lost, nothing twice, each producer's order kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "tests/ring/producer_rings.h"

namespace qdiscsim {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kMost = 10'000;
#else
constexpr std::uint32_t kMost = 100'000;
#endif
constexpr std::uint32_t kProducers = 3;

// Plain data: ThreadSanitizer checks that it is handed over, not just carried.
struct Item {
  std::uint32_t producer = 0;
  std::uint32_t sequence = 0;
};

template <class Ring>
class ProducerRingStress : public testing::Test {
 protected:
  // burst: entries a call on both sides.
  static void run(std::size_t size, std::size_t burst) {
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(kMost, 1'000 * size));
    Ring ring{size, kProducers};
    std::vector<std::vector<Item>> items(kProducers);
    std::atomic<std::uint32_t> done{0};
    std::vector<std::thread> threads;
    for (std::uint32_t p = 0; p < kProducers; ++p) {
      threads.emplace_back([&, p] {
        items[p].resize(count);
        produce(ring, items[p], p, burst);
        done.fetch_add(1, std::memory_order_release);
      });
    }
    std::array<std::uint32_t, kProducers> next{};
    std::uint64_t out_of_order = 0;
    smp::Native::Spinner spinner;
    for (std::vector<Item*> out(burst);;) {
      const bool last_round = done.load(std::memory_order_acquire) == kProducers;
      const std::size_t got = consume(ring, out);
      for (std::size_t i = 0; i < got; ++i) {
        if (out[i]->sequence != next.at(out[i]->producer)++) ++out_of_order;
      }
      if (got != 0) continue;
      if (last_round) break;
      spinner.pause();
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(out_of_order, 0U);
    for (const std::uint32_t total : next) EXPECT_EQ(total, count);
    EXPECT_TRUE(ring.looks_empty());
    EXPECT_EQ(ring.count_at_rest(), 0U);
  }

 private:
  static void produce(Ring& ring, std::vector<Item>& items, std::uint32_t producer,
                      std::size_t burst) {
    std::vector<Item*> entries;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      items[i] = {producer, i};
      entries.push_back(&items[i]);
    }
    smp::Native::Spinner spinner;
    for (std::span<Item* const> left{entries}; !left.empty();) {
      std::size_t stored = 0;
      if (burst == 1) {
        stored = ring.put(left.front(), producer) ? 1 : 0;
      } else {
        stored = ring.put(left.first(std::min(burst, left.size())), producer);
      }
      left = left.subspan(stored);
      if (stored == 0) spinner.pause();
    }
  }

  static std::size_t consume(Ring& ring, std::vector<Item*>& out) {
    if (out.size() > 1) return ring.consume_batched_unlocked(std::span<Item*>{out});
    out[0] = static_cast<Item*>(ring.consume());
    return out[0] == nullptr ? 0 : 1;
  }
};

using Rings = testing::Types<test::CasRing<>, test::Lanes<>>;
TYPED_TEST_SUITE(ProducerRingStress, Rings);

TYPED_TEST(ProducerRingStress, LosesNothingOneByOne) {
  for (const std::size_t size : {1U, 3U, 64U}) this->run(size, 1);
}

TYPED_TEST(ProducerRingStress, LosesNothingInBursts) {
  for (const std::size_t size : {2U, 33U, 256U}) this->run(size, 16);
}

}  // namespace
}  // namespace qdiscsim
