// Random walks of MpscRing and LaneRing, with three producers, against a std::deque for each of
// them (MpscRing: one order over all).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/prng.h"
#include "tests/base/seed.h"
#include "tests/ring/producer_rings.h"

namespace qdiscsim {
namespace {

constexpr std::uint32_t kProducers = 3;

struct Item {
  std::uint32_t producer = 0;
};

template <class Ring>
class ProducerRingModel : public testing::Test {
 protected:
  // Entries in the order in which they have to come out, by producer or all together.
  class Model {
   public:
    std::deque<Item*>& of(const Item* item) {
      return fifo_.at(Ring::kOneOrder ? 0 : item->producer);
    }
    void put(Item* item) { of(item).push_back(item); }
    void take(Item* item) {
      ASSERT_NE(item, nullptr);
      ASSERT_FALSE(of(item).empty());
      EXPECT_EQ(of(item).front(), item);
      of(item).pop_front();
    }
    std::size_t size() const {
      std::size_t sum = 0;
      for (const auto& fifo : fifo_) sum += fifo.size();
      return sum;
    }

   private:
    std::array<std::deque<Item*>, kProducers> fifo_;
  };

  Item* fresh(std::uint32_t producer) {
    items_.push_back({producer});
    return &items_.back();
  }

  // Free places that may look full: not given back yet, or kept by idle lanes.
  static std::size_t slack(const Ring& ring) {
    const std::size_t group = ring.size() / 4;
    return Ring::kOneOrder ? std::min<std::size_t>(group, 63) : ring.size() / 2;
  }

  void check_refusal(const Ring& ring, const Model& model) {
    EXPECT_GE(model.size() + slack(ring), ring.size()) << "refused with room left";
  }

  void walk(std::size_t size, std::uint64_t start, Prng& prng, int steps) {
    Ring ring{size, kProducers, start};
    Model model;
    for (int step = 0; step < steps && !this->HasFailure(); ++step) {
      ASSERT_EQ(ring.count_at_rest(), model.size());
      ASSERT_LE(model.size(), ring.size());
      ASSERT_EQ(ring.looks_empty(), model.size() == 0);
      turn(ring, model, prng);
    }
    ring.cleanup([&](void* entry) { model.take(static_cast<Item*>(entry)); });
    EXPECT_EQ(model.size(), 0U);
  }

  void turn(Ring& ring, Model& model, Prng& prng) {
    const std::uint32_t producer = prng.below(kProducers);
    switch (prng.below(12)) {
      case 0:
      case 1:
      case 2: {
        Item* item = fresh(producer);
        if (ring.put(item, producer)) {
          model.put(item);
        } else {
          check_refusal(ring, model);
        }
        break;
      }
      case 3:
      case 4: {
        std::vector<Item*> burst(prng.between(0, 40));
        for (Item*& item : burst) item = fresh(producer);
        const std::size_t stored = ring.put(std::span<Item* const>{burst}, producer);
        ASSERT_LE(stored, burst.size());
        for (std::size_t i = 0; i < stored; ++i) model.put(burst[i]);
        if (stored < burst.size()) check_refusal(ring, model);
        break;
      }
      case 5:
      case 6:
      case 7: {
        void* const front = ring.peek_unlocked();
        void* const entry = prng.below(2) == 0 ? ring.consume_unlocked() : ring.consume();
        EXPECT_EQ(front, entry);
        EXPECT_EQ(entry == nullptr, model.size() == 0);
        if (entry != nullptr) model.take(static_cast<Item*>(entry));
        break;
      }
      case 8:
      case 9:
        take_batch_and_give_some_back(ring, model, prng, 0);
        break;
      case 10:
        take_batch_and_give_some_back(ring, model, prng, 3);
        break;
      default:
        if (prng.below(20) == 0) resize(ring, model, prng.between(0, 100));
    }
  }

  // One in `of` entries, 0: none, goes back.
  void take_batch_and_give_some_back(Ring& ring, Model& model, Prng& prng, std::size_t of) {
    std::vector<Item*> out(prng.between(1, 40));
    const std::size_t before = model.size();
    const std::size_t got = ring.consume_batched_unlocked(std::span<Item*>{out});
    EXPECT_EQ(got, std::min(out.size(), before));
    out.resize(got);
    const std::size_t kept = of == 0 ? got : got - got / of;
    for (std::size_t i = 0; i < kept; ++i) model.take(out[i]);
    if (kept == got) return;
    ring.unconsume(std::span<Item* const>{out}.subspan(kept),
                   [](Item*) { ADD_FAILURE() << "there was room"; });
  }

  void resize(Ring& ring, Model& model, std::size_t size) {
    std::set<void*> dropped;
    ASSERT_TRUE(ring.resize(size, [&](void* entry) { dropped.insert(entry); }));
    EXPECT_EQ(ring.size(), size);
    EXPECT_EQ(dropped.size(), model.size() - std::min(model.size(), size));
    // What is left keeps its order; what was dropped is the newest of its producer.
    for (std::uint32_t p = 0; p < kProducers; ++p) {
      Item probe{p};
      auto& fifo = model.of(&probe);
      while (!fifo.empty() && dropped.contains(fifo.back())) fifo.pop_back();
    }
    EXPECT_EQ(ring.count_at_rest(), model.size());
  }

  std::deque<Item> items_;
};

using Rings = testing::Types<test::CasRing<>, test::Lanes<>>;
TYPED_TEST_SUITE(ProducerRingModel, Rings);

TYPED_TEST(ProducerRingModel, AgreesWithADequeAtEverySize) {
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    for (const std::size_t size : {0U, 1U, 2U, 3U, 31U, 32U, 33U, 64U, 1000U, 1024U}) {
      SCOPED_TRACE(size);
      this->walk(size, 0, prng, 2'000);
    }
  }
}

TYPED_TEST(ProducerRingModel, AgreesWithADequeWhenPositionsWrap) {
  Prng prng{test::seeds(1).front()};
  for (const std::uint64_t end :
       {std::uint64_t{1} << 16, std::uint64_t{1} << 32, std::uint64_t{0}}) {
    for (const std::size_t size : {1U, 3U, 33U, 64U}) {
      SCOPED_TRACE(testing::Message() << "size " << size << ", wrap at " << end);
      this->walk(size, end - prng.between(1, 70), prng, 1'000);
    }
  }
}

TYPED_TEST(ProducerRingModel, HoldsTenMillion) {
  constexpr std::size_t kSize = 10'000'000;
  TypeParam ring{kSize, 1};
  Item item;
  const std::vector<Item*> burst(1000, &item);
  std::size_t stored = 0;
  while (const std::size_t count = ring.put(std::span<Item* const>{burst}, 0)) stored += count;
  EXPECT_EQ(stored, kSize);
  EXPECT_FALSE(ring.put(&item, 0));
  EXPECT_EQ(ring.count_at_rest(), kSize);
}

TYPED_TEST(ProducerRingModel, RefusesASizeAboveTheMostAndSaysSo) {
  EXPECT_THROW((TypeParam{kMaxRingSize + 1, 1}), std::length_error);
  TypeParam ring{2, 1};
  EXPECT_FALSE(ring.resize(kMaxRingSize + 1, [](void*) {}));
  EXPECT_EQ(ring.size(), 2U);
}

TYPED_TEST(ProducerRingModel, ResizesSeveralRingsOrNone) {
  TypeParam first{4, 1};
  TypeParam second{4, 1};
  typename TypeParam::Base* const rings[]{&first, &second};
  Item item;
  ASSERT_TRUE(first.put(&item, 0));
  static int allocations;
  allocations = 0;
  const auto second_fails = [](std::size_t count) {
    return ++allocations == 2 ? nullptr : allocate_slots<typename TypeParam::Slot>(count);
  };
  EXPECT_FALSE(TypeParam::Base::resize_multiple(
      rings, 8, [](void*) {}, second_fails));
  EXPECT_EQ(first.size(), 4U);
  EXPECT_EQ(first.count_at_rest(), 1U);
  EXPECT_TRUE(TypeParam::Base::resize_multiple(rings, 8, [](void*) {}));
  EXPECT_EQ(second.size(), 8U);
  EXPECT_EQ(first.consume(), &item);
}

TYPED_TEST(ProducerRingModel, GivesBackOnlyWhatFitsAndDestroysTheOldest) {
  TypeParam ring{4, 1};
  std::array<Item, 8> items;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(ring.put(&items[i], 0));
  std::array<Item*, 2> out{};
  ASSERT_EQ(ring.consume_batched_unlocked(std::span<Item*>{out}), 2U);
  ASSERT_TRUE(ring.put(&items[4], 0));
  std::vector<Item*> destroyed;
  ring.unconsume(std::span<Item* const>{out}, [&](Item* item) { destroyed.push_back(item); });
  EXPECT_EQ(destroyed, std::vector<Item*>{&items[0]});
  for (const std::size_t expected : {1U, 2U, 3U, 4U}) EXPECT_EQ(ring.consume(), &items[expected]);
  EXPECT_EQ(ring.consume(), nullptr);
}

TEST(MpscRing, TellsEmptyFromReady) {
  MpscRing<smp::Native> ring{4};
  int item = 0;
  EXPECT_EQ(ring.front(), Front::kEmpty);
  ASSERT_TRUE(ring.produce(&item));
  EXPECT_EQ(ring.front(), Front::kReady);
  EXPECT_EQ(ring.consume(), &item);
  EXPECT_EQ(ring.front(), Front::kEmpty);
}

// Looks at the ring before each store: also between a producer's reservation and its entry.
struct WatchedSmp : smp::Native {
  static inline std::function<void()> before_store;
  template <class T>
  class atomic : public smp::Native::atomic<T> {
   public:
    using smp::Native::atomic<T>::atomic;
    void store(T value, smp::order order) noexcept {
      if (before_store) before_store();
      smp::Native::atomic<T>::store(value, order);
    }
  };
};

TEST(MpscRing, TellsPendingFromEmptyWhileAProducerIsBetweenReservationAndEntry) {
  MpscRing<WatchedSmp> ring{4};
  std::vector<Front> seen;
  WatchedSmp::before_store = [&] { seen.push_back(ring.front()); };
  int item = 0;
  EXPECT_TRUE(ring.produce(&item));
  EXPECT_EQ(ring.front(), Front::kReady);
  std::array<int*, 2> burst{&item, &item};
  EXPECT_EQ(ring.consume(), &item);
  seen.clear();
  EXPECT_EQ(ring.produce_batched(std::span<int* const>{burst}), 2U);
  WatchedSmp::before_store = nullptr;
  // The newest entry is stored first: the front stays pending until the last store.
  EXPECT_EQ(seen, (std::vector<Front>{Front::kPending, Front::kPending}));
}

TEST(LaneRing, DrainsLanesInTurnSoThatABusyOneDoesNotStarveTheOthers) {
  LaneRing<smp::Native> ring{1024, 2};
  std::array<Item, 2> items{Item{0}, Item{1}};
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(ring.produce(&items[0], 0));
  ASSERT_TRUE(ring.produce(&items[1], 1));
  std::array<void*, 32> out{};
  std::size_t seen = 0;
  bool other = false;
  while (!other && seen < 201) {
    const std::size_t got = ring.consume_batched_unlocked(std::span<void*>{out});
    for (std::size_t i = 0; i < got; ++i) other = other || out[i] == &items[1];
    seen += got;
  }
  EXPECT_TRUE(other);
  EXPECT_LE(seen, 96U);
}

}  // namespace
}  // namespace qdiscsim
