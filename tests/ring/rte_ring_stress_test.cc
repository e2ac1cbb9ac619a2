// Several threads on the sides that allow it, a ring much smaller than what passes through it, and
// positions that wrap. Bulks, bursts, single entries, and peeking where there is that.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/smp_native.h"
#include "ring/rte_band_ring.h"
#include "ring/rte_ring.h"

namespace qdiscsim {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kPerProducer = 2'000;
#else
constexpr std::uint32_t kPerProducer = 20'000;
#endif
constexpr std::uint32_t kMany = 2;

// Plain data: ThreadSanitizer checks that it is handed over, not just carried.
struct Item {
  std::uint32_t producer = 0;
  std::uint32_t sequence = 0;
  std::uint32_t taken = 0;  // written by the consumer that got it
};
using Items = std::vector<Item>;

// What one consumer sees of a producer grows, and what it takes was not taken before.
class Arrivals {
 public:
  void take(Item& item) {
    EXPECT_GE(item.sequence, next_.at(item.producer));
    next_.at(item.producer) = item.sequence + 1;
    ++item.taken;
  }

 private:
  std::array<std::uint32_t, kMany> next_{};
};

template <class Sync>
constexpr std::uint32_t kThreadsOf = std::is_same_v<Sync, SingleThread> ? 1 : kMany;

template <class ProducerSync, class Ring>
std::size_t put_some(Ring& ring, std::span<Item* const> left, std::uint32_t turn) {
  const std::span<Item* const> some = left.first(std::min<std::size_t>(1 + turn % 7, left.size()));
  if constexpr (ProducerSync::kCanPeek) {
    if (turn % 4 == 0) {
      const std::size_t got = ring.template enqueue_start<RteFit::kAny>(some.size()).count;
      if (got == 0) return 0;
      ring.enqueue_finish(some.first((got + 1) / 2));
      return (got + 1) / 2;
    }
  }
  if (some.size() == 1) return ring.enqueue(some[0]) ? 1 : 0;
  return turn % 2 == 0 ? ring.enqueue_bulk(some).count : ring.enqueue_burst(some).count;
}

template <class ConsumerSync, class Ring>
std::size_t take_some(Ring& ring, Arrivals& arrivals, std::uint32_t turn) {
  std::array<Item*, 7> room{};
  const std::span<Item*> out = std::span<Item*>{room}.first(1 + turn % 7);
  std::size_t count = 0;
  if constexpr (ConsumerSync::kCanPeek) {
    if (turn % 4 == 0) {
      count = (ring.template dequeue_start<RteFit::kAny>(out).count + 1) / 2;
      for (std::size_t i = 0; i < count; ++i) arrivals.take(*out[i]);
      if (count != 0) ring.dequeue_finish(count);
      return count;
    }
  }
  count = turn % 3 == 0 ? ring.dequeue_bulk(out).count : ring.dequeue_burst(out).count;
  for (std::size_t i = 0; i < count; ++i) arrivals.take(*out[i]);
  return count;
}

template <class ProducerSync, class ConsumerSync>
void stress(std::uint32_t capacity, std::optional<std::uint32_t> htd_max = {}) {
  constexpr std::uint32_t kProducers = kThreadsOf<ProducerSync>;
  const std::uint32_t count = std::min(kPerProducer, 500 * capacity);
  RteRing<smp::Native, ProducerSync, ConsumerSync> ring{capacity,
                                                        {.exact = true,
                                                         .producer_htd_max = htd_max,
                                                         .consumer_htd_max = htd_max,
                                                         .start = std::uint32_t{0} - count / 2}};
  std::array<Items, kProducers> items;
  std::atomic<std::uint32_t> missing{kProducers * count};
  std::vector<std::thread> threads;
  for (std::uint32_t p = 0; p < kProducers; ++p) {
    items.at(p).resize(count);
    threads.emplace_back([&, p] {
      std::vector<Item*> entries;
      for (std::uint32_t i = 0; i < count; ++i) {
        items.at(p)[i] = {p, i, 0};
        entries.push_back(&items.at(p)[i]);
      }
      std::span<Item* const> left{entries};
      smp::Native::Spinner spinner;
      for (std::uint32_t turn = p; !left.empty(); ++turn) {
        const std::size_t stored = put_some<ProducerSync>(ring, left, turn);
        left = left.subspan(stored);
        if (stored == 0) spinner.pause();
      }
    });
  }
  for (std::uint32_t c = 0; c < kThreadsOf<ConsumerSync>; ++c) {
    threads.emplace_back([&, c] {
      Arrivals arrivals;
      smp::Native::Spinner spinner;
      for (std::uint32_t turn = c; missing.load(std::memory_order_relaxed) != 0; ++turn) {
        const std::size_t got = take_some<ConsumerSync>(ring, arrivals, turn);
        missing.fetch_sub(static_cast<std::uint32_t>(got), std::memory_order_relaxed);
        if (got == 0) spinner.pause();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(ring.empty());
  for (const Items& of_one : items) {
    for (const Item& item : of_one) ASSERT_EQ(item.taken, 1U) << item.producer << item.sequence;
  }
}

template <class Pair>
class RteRingStress : public testing::Test {};
using Mixes =
    testing::Types<std::tuple<SingleThread, SingleThread>, std::tuple<MultiThread, SingleThread>,
                   std::tuple<RelaxedTailSync, SingleThread>,
                   std::tuple<HeadTailSync, SingleThread>, std::tuple<MultiThread, MultiThread>,
                   std::tuple<RelaxedTailSync, RelaxedTailSync>,
                   std::tuple<HeadTailSync, HeadTailSync>, std::tuple<SingleThread, HeadTailSync>,
                   std::tuple<MultiThread, RelaxedTailSync>, std::tuple<HeadTailSync, MultiThread>>;
TYPED_TEST_SUITE(RteRingStress, Mixes);

TYPED_TEST(RteRingStress, LosesNothingAndKeepsEachProducersOrder) {
  for (const std::uint32_t capacity : {1U, 7U, 33U}) {
    stress<std::tuple_element_t<0, TypeParam>, std::tuple_element_t<1, TypeParam>>(capacity);
  }
}

TEST(RteRingStressRts, LosesNothingHoweverFarTheHeadMayRunAhead) {
  for (const std::uint32_t htd_max : {0U, 1U, 33U}) {
    stress<RelaxedTailSync, RelaxedTailSync>(33, htd_max);
  }
}

TEST(RteRingStressWait, LosesNothingWithEachWayToWait) {
  stress<MultiThreadWith<PatientWait>, HeadTailSyncWith<PatientWait>>(33);
  stress<RelaxedTailSyncWith<PatientWait>, RelaxedTailSyncWith<BusyWait>>(33);
}

// consume() from several threads at once.
TEST(RteBandRingStress, LetsConsumersTakeTurns) {
  const std::uint32_t count = kPerProducer / 2;
  RteBandRing<smp::Native, RelaxedTailSync> ring{16};
  Items items(count);
  std::atomic<std::uint32_t> missing{count};
  std::vector<std::thread> consumers;
  for (std::uint32_t c = 0; c < kMany; ++c) {
    consumers.emplace_back([&] {
      Arrivals arrivals;
      smp::Native::Spinner spinner;
      while (missing.load(std::memory_order_relaxed) != 0) {
        auto* item = static_cast<Item*>(ring.consume());
        if (item == nullptr) {
          spinner.pause();
          continue;
        }
        arrivals.take(*item);
        missing.fetch_sub(1, std::memory_order_relaxed);
      }
    });
  }
  smp::Native::Spinner spinner;
  for (std::uint32_t i = 0; i < count; ++i) {
    items[i] = {0, i, 0};
    while (!ring.produce(&items[i])) spinner.pause();
  }
  for (std::thread& thread : consumers) thread.join();
  EXPECT_TRUE(ring.looks_empty());
  for (const Item& item : items) ASSERT_EQ(item.taken, 1U);
}

}  // namespace
}  // namespace qdiscsim
