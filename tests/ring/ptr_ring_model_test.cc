// Random walks over every operation of PtrRing, step by step against a model, for each generation
// and for each lock.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "base/prng.h"
#include "tests/base/seed.h"
#include "tests/ring/ptr_ring_types.h"
#include "tests/ring/ring_model.h"

namespace qdiscsim {
namespace {

constexpr std::array<std::size_t, 9> kSizes{0, 1, 2, 3, 31, 32, 33, 64, 1000};
constexpr int kSteps = 10'000;

template <class Clear>
constexpr test::RingRules kRules{.batch = std::is_same_v<Clear, ZeroEach> ? 1U : 16U,
                                 .flush_on_empty = Clear::kFlushOnEmpty};

template <class Lock, class Clear>
class Walk {
 public:
  Walk(std::size_t size, std::uint64_t seed)
      : ring_{size}, model_{size, kRules<Clear>}, limit_{2 * size + 3}, prng_{seed} {}

  void step() {
    // Tides: phases in which the ring fills, and phases in which it empties.
    if (prng_.below(200) == 0) rising_ = !rising_;
    switch (prng_.below(rising_ ? 14 : 10)) {
      case 0:
      case 1:
        return check_taken({ring_.consume()}, 1);
      case 2:
        return consume_batched();
      case 3:
        return check_taken({ring_.consume_unlocked()}, 1);
      case 4:
        return peek();
      case 5:
        return produce_batched();
      case 6:
        return unconsume();
      case 7:
        if (prng_.below(rising_ ? 500 : 100) == 0) resize();
        return;
      case 8:
        if (prng_.below(500) == 0) cleanup();
        return;
      default: {
        void* entry = fresh();
        const bool locked = prng_.below(2) == 0;
        EXPECT_EQ(locked ? ring_.produce(entry) : ring_.produce_unlocked(entry),
                  model_.produce(entry));
      }
    }
  }

  void check_state() {
    EXPECT_EQ(ring_.full(), model_.full());
    EXPECT_EQ(ring_.looks_empty(), model_.entries().empty());
    EXPECT_EQ(ring_.peek_unlocked(), model_.peek());
    EXPECT_EQ(ring_.size(), model_.size());
    EXPECT_EQ(ring_.count_at_rest(), model_.entries().size());
  }

 private:
  // Entries are never dereferenced: numbers will do, each one used once.
  void* fresh() { return reinterpret_cast<void*>(++last_); }

  void check_taken(const std::vector<void*>& taken, std::size_t asked) {
    std::size_t count = 0;
    for (; count < asked; ++count) {
      void* expected = model_.consume();
      if (expected == nullptr) break;
      ASSERT_LT(count, taken.size());
      EXPECT_EQ(taken[count], expected);
      taken_.push_back(expected);
    }
    if (asked == 1 && count == 0) {
      EXPECT_EQ(taken.at(0), nullptr);
    } else {
      EXPECT_EQ(taken.size(), count);
    }
    while (taken_.size() > limit_) taken_.erase(taken_.begin());
  }

  void consume_batched() {
    std::vector<void*> out(prng_.below(40));
    const std::size_t asked = out.size();
    // The ring is one of void; std::byte stands in, since there is no T of void.
    std::vector<std::byte*> bytes(asked);
    const std::size_t count = ring_.consume_batched(std::span<std::byte*>{bytes});
    out.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    if (asked == 1 && count == 0) out = {nullptr};
    check_taken(out, asked);
  }

  void produce_batched() {
    std::vector<std::byte*> in(prng_.below(40));
    for (auto& entry : in) entry = static_cast<std::byte*>(fresh());
    std::size_t expected = 0;
    while (expected < in.size() && model_.produce(in[expected])) ++expected;
    EXPECT_EQ(ring_.produce_batched(std::span<std::byte* const>{in}), expected);
  }

  void peek() {
    EXPECT_EQ(ring_.peek([](void* head) { return head; }), model_.peek());
  }

  // Gives back some of what was taken last.
  void unconsume() {
    const std::size_t most = std::min<std::size_t>(taken_.size(), 40);
    const std::size_t count = prng_.below(static_cast<std::uint32_t>(most) + 1);
    std::vector<std::byte*> back;
    for (auto it = taken_.end() - static_cast<std::ptrdiff_t>(count); it != taken_.end(); ++it) {
      back.push_back(static_cast<std::byte*>(*it));
    }
    taken_.resize(taken_.size() - count);
    std::vector<void*> lost;
    ring_.unconsume(std::span<std::byte* const>{back},
                    [&](std::byte* entry) { lost.push_back(entry); });
    EXPECT_EQ(lost, model_.unconsume({back.begin(), back.end()}));
  }

  void resize() {
    const std::size_t size = kSizes.at(prng_.below(kSizes.size()));
    std::vector<void*> lost;
    EXPECT_TRUE(ring_.resize(size, [&](void* entry) { lost.push_back(entry); }));
    EXPECT_EQ(lost, model_.resize(size));
  }

  void cleanup() {
    std::vector<void*> lost;
    ring_.cleanup([&](void* entry) { lost.push_back(entry); });
    while (void* expected = model_.consume()) {
      ASSERT_FALSE(lost.empty());
      EXPECT_EQ(lost.front(), expected);
      lost.erase(lost.begin());
    }
    EXPECT_TRUE(lost.empty());
  }

  PtrRing<smp::Native, Lock, Clear> ring_;
  test::RingModel<void*> model_;
  std::vector<void*> taken_;  // consumed lately, oldest first
  std::size_t limit_;
  Prng prng_;
  bool rising_ = true;
  std::uintptr_t last_ = 0;
};

template <class Lock, class Clear>
void walk_all() {
  for (const std::uint64_t seed : test::seeds(4)) {
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(test::repeat_with(seed) + ", first size " + std::to_string(size));
      Walk<Lock, Clear> walk{size, seed};
      for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("step " + std::to_string(i));
        walk.step();
        walk.check_state();
      }
    }
  }
}

template <class Clear>
class PtrRingModel : public testing::Test {};
TYPED_TEST_SUITE(PtrRingModel, test::Generations, test::NameOfGeneration);

TYPED_TEST(PtrRingModel, BehavesLikeADequeThatGivesSlotsBackLate) {
  walk_all<NoLock<smp::Native>, TypeParam>();
}

template <class Lock>
class PtrRingModelUnder : public testing::Test {};
TYPED_TEST_SUITE(PtrRingModelUnder, test::RealLocks, test::NameOfLock);

TYPED_TEST(PtrRingModelUnder, BehavesLikeADequeWithBatchClearing) {
  walk_all<TypeParam, ZeroBatch>();
}

}  // namespace
}  // namespace qdiscsim
