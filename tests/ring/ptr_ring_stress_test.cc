// Several producers, one consumer, a ring much smaller than what passes through it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kPerProducer = 5'000;
#else
constexpr std::uint32_t kPerProducer = 50'000;
#endif
constexpr std::uint32_t kProducers = 3;

// Plain data: ThreadSanitizer checks that it is handed over, not just carried.
struct Item {
  std::uint32_t producer = 0;
  std::uint32_t sequence = 0;
};

// What the consumer has seen: each producer's items in order, without a gap.
class Arrivals {
 public:
  void take(const Item& item) {
    EXPECT_EQ(item.sequence, next_.at(item.producer));
    next_.at(item.producer) = item.sequence + 1;
    ++total_;
  }
  std::uint64_t total() const { return total_; }

 private:
  std::array<std::uint32_t, kProducers> next_{};
  std::uint64_t total_ = 0;
};

template <class LockPolicy, class ClearPolicy>
struct Variant {
  using Lock = LockPolicy;
  using Clear = ClearPolicy;
};

template <class Of>
class PtrRingStress : public testing::Test {
 protected:
  using Ring = PtrRing<smp::Native, typename Of::Lock, typename Of::Clear>;
  using Items = std::vector<Item>;

  // A small ring waits for the scheduler at every turn, a fair lock at every handover.
  static std::uint32_t items_for(std::size_t size) {
    constexpr bool kFair = test::kFirstComeFirstServed<typename Of::Lock>;
    const auto most = static_cast<std::uint32_t>(1'000 * size);
    return std::min(most, kFair ? kPerProducer / 20 : kPerProducer);
  }

  // produce(ring, items) puts all items of one producer in; consume(ring, arrivals) takes some out,
  // and says whether there were any.
  template <class Produce, class Consume>
  void run(std::size_t size, Produce&& produce, Consume&& consume) {
    const std::uint32_t count = items_for(size);
    Ring ring{size};
    std::array<Items, kProducers> items;
    std::vector<std::thread> producers;
    std::atomic<std::uint32_t> done{0};
    for (std::uint32_t p = 0; p < kProducers; ++p) {
      items.at(p).resize(count);
      producers.emplace_back([&, p] {
        for (std::uint32_t i = 0; i < count; ++i) items.at(p)[i] = {p, i};
        produce(ring, items.at(p));
        done.fetch_add(1, std::memory_order_release);
      });
    }
    Arrivals arrivals;
    smp::Native::Spinner spinner;
    for (;;) {
      const bool last_round = done.load(std::memory_order_acquire) == kProducers;
      if (consume(ring, arrivals)) continue;
      if (last_round) break;
      spinner.pause();
    }
    for (std::thread& producer : producers) producer.join();
    EXPECT_TRUE(ring.looks_empty());
    EXPECT_EQ(arrivals.total(), std::uint64_t{kProducers} * count);
  }

  static void produce_each(Ring& ring, Items& items) {
    smp::Native::Spinner spinner;
    for (Item& item : items) {
      while (!ring.produce(&item)) spinner.pause();
    }
  }

  static void produce_batches(Ring& ring, Items& items) {
    constexpr std::size_t kBatch = 7;
    smp::Native::Spinner spinner;
    std::vector<Item*> entries;
    for (Item& item : items) entries.push_back(&item);
    std::span<Item* const> left{entries};
    while (!left.empty()) {
      const std::size_t stored = ring.produce_batched(left.first(std::min(kBatch, left.size())));
      left = left.subspan(stored);
      if (stored == 0) spinner.pause();
    }
  }
};

using Smp = smp::Native;
using Spin = TestAndSetLock<Smp>;
// All generations under one lock, and all locks with one generation.
using Variants =
    testing::Types<Variant<Spin, ZeroEach>, Variant<Spin, ZeroBatch>, Variant<Spin, ClearAfterHead>,
                   Variant<Spin, ClearAfterHeadBarriers>, Variant<Spin, FlushOnEmpty<ZeroBatch>>,
                   Variant<Spin, FlushOnEmpty<ClearAfterHeadBarriers>>,
                   Variant<YieldingLock<Smp>, ZeroBatch>, Variant<TicketLock<Smp>, ZeroBatch>,
                   Variant<McsLock<Smp>, ZeroBatch>>;
struct NameOfVariant {
  template <class Of>
  static std::string GetName(int /*index*/) {
    return std::string{Of::Lock::kName} + "_" + test::generation_name<typename Of::Clear>();
  }
};
TYPED_TEST_SUITE(PtrRingStress, Variants, NameOfVariant);

TYPED_TEST(PtrRingStress, LosesNothingAndKeepsEachProducersOrder) {
  for (const std::size_t size : {1U, 33U, 64U}) {
    this->run(size, TestFixture::produce_each, [](auto& ring, Arrivals& arrivals) {
      void* entry = ring.consume_unlocked();
      if (entry != nullptr) arrivals.take(*static_cast<Item*>(entry));
      return entry != nullptr;
    });
  }
}

TYPED_TEST(PtrRingStress, LosesNothingInBatches) {
  this->run(64, TestFixture::produce_batches, [](auto& ring, Arrivals& arrivals) {
    std::array<Item*, 10> out{};
    const std::size_t count = ring.consume_batched(std::span<Item*>{out});
    for (std::size_t i = 0; i < count; ++i) arrivals.take(*out.at(i));
    return count != 0;
  });
}

TYPED_TEST(PtrRingStress, LosesNothingWhenEntriesGoBackAndTheRingIsResized) {
  std::uint32_t turn = 0;
  this->run(64, TestFixture::produce_each, [&](auto& ring, Arrivals& arrivals) {
    if (++turn % 64 == 0) {
      // Only ever larger, so that nothing may be dropped.
      EXPECT_TRUE(ring.resize(ring.size() + turn % 5, [](void*) { ADD_FAILURE() << "dropped"; }));
    }
    std::array<Item*, 10> out{};
    const std::size_t count = ring.consume_batched(std::span<Item*>{out});
    const std::size_t kept = (count + 1) / 2;
    for (std::size_t i = 0; i < kept; ++i) arrivals.take(*out.at(i));
    std::vector<Item*> lost;
    ring.unconsume(std::span<Item* const>{out.data() + kept, count - kept},
                   [&](Item* item) { lost.push_back(item); });
    // The oldest found no room, so they are the next in order.
    for (Item* item : lost) arrivals.take(*item);
    return kept + lost.size() != 0;
  });
}

}  // namespace
}  // namespace qdiscsim
