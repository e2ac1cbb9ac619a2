// What a third thread is told by looks_empty(), at every step of the others.

#include <gtest/gtest.h>

#include <cstddef>

#include "ring/ptr_ring.h"
#include "tests/ring/ptr_ring_stepping.h"
#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim {
namespace {

using test::Stepping;

constexpr std::size_t kStepped = 64;
constexpr std::size_t kSteppedBatch = 16;

template <class Clear>
using SteppedRing = PtrRing<Stepping, NoLock<Stepping>, Clear>;

int stepped_entry = 0;

template <class AnyRing>
std::size_t fill(AnyRing& ring) {
  std::size_t stored = 0;
  while (ring.produce_unlocked(&stepped_entry)) ++stored;
  return stored;
}

// How often looks_empty() says so after a store of a consumer that takes `entries`, while the ring
// is filled up after each one: it is never empty.
template <class Clear>
std::size_t false_answers(std::size_t entries) {
  SteppedRing<Clear> ring{kStepped};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    fill(ring);
    const Stepping::Hooked hook{[&](Stepping::Step step) {
      wrong += step == Stepping::Step::kStore && ring.looks_empty() ? 1 : 0;
    }};
    EXPECT_NE(ring.consume_unlocked(), nullptr);
  }
  return wrong;
}

// Asks a ring of 64 entries; after the asker's load number `held_up` the consumer takes `taken`.
template <class Clear>
bool looks_empty_to_a_thread_held_up(std::size_t held_up, std::size_t taken) {
  SteppedRing<Clear> ring{kStepped};
  EXPECT_EQ(fill(ring), kStepped);
  std::size_t loads = 0;
  const Stepping::Hooked hook{[&](Stepping::Step /*step*/) {
    if (++loads != held_up) return;
    for (std::size_t i = 0; i < taken; ++i) ring.consume_unlocked();
  }};
  return ring.looks_empty();
}

template <class Clear>
class ClearsBeforeTheHeadMoves : public testing::Test {};
using Older = testing::Types<ZeroEach, ZeroBatch, FlushOnEmpty<ZeroBatch>>;
TYPED_TEST_SUITE(ClearsBeforeTheHeadMoves, Older, test::NameOfGeneration);

TYPED_TEST(ClearsBeforeTheHeadMoves, SoARingWithEntriesLooksEmptyFromEachFirstClearingOn) {
  // The newest slot, where the head is, is cleared first: each clearing is followed by the answer.
  EXPECT_EQ(false_answers<TypeParam>(5 * kStepped), 5 * kStepped);
}

TYPED_TEST(ClearsBeforeTheHeadMoves, SoAThreadHeldUpAfterItsLookAtTheHeadIsMisled) {
  EXPECT_TRUE(looks_empty_to_a_thread_held_up<TypeParam>(1, kSteppedBatch));
}

template <class Clear>
class MovesTheHeadFirst : public testing::Test {};
using Newer = testing::Types<ClearAfterHead, ClearAfterHeadBarriers, FlushOnEmpty<ClearAfterHead>,
                             FlushOnEmpty<ClearAfterHeadBarriers>>;
TYPED_TEST_SUITE(MovesTheHeadFirst, Newer, test::NameOfGeneration);

TYPED_TEST(MovesTheHeadFirst, SoARingWithEntriesNeverLooksEmpty) {
  EXPECT_EQ(false_answers<TypeParam>(5 * kStepped), 0U);
}

TYPED_TEST(MovesTheHeadFirst, SoAThreadHeldUpAnywhereIsNotMisled) {
  for (std::size_t held_up = 1; held_up <= 4; ++held_up) {
    for (std::size_t taken = 1; taken < kStepped; ++taken) {
      EXPECT_FALSE(looks_empty_to_a_thread_held_up<TypeParam>(held_up, taken))
          << taken << " taken after load " << held_up;
    }
  }
}

template <class Clear>
class LooksEmpty : public testing::Test {};
TYPED_TEST_SUITE(LooksEmpty, test::Generations, test::NameOfGeneration);

TYPED_TEST(LooksEmpty, SaysSoAsSoonAsTheLastEntryIsTaken) {
  SteppedRing<TypeParam> ring{kStepped};
  for (std::size_t i = 0; i < 3 * kStepped; ++i) {
    EXPECT_TRUE(ring.looks_empty());
    ASSERT_TRUE(ring.produce_unlocked(&stepped_entry));
    EXPECT_FALSE(ring.looks_empty());
    ASSERT_NE(ring.consume_unlocked(), nullptr);
  }
}

TYPED_TEST(LooksEmpty, SeesAnEntryThatComesWhileAnEmptyRingIsBeingFlushed) {
  // From the step at which the consumer found nothing, its second, on.
  for (std::size_t when = 1; when < 2 * kSteppedBatch; ++when) {
    SteppedRing<TypeParam> ring{kStepped};
    for (std::size_t i = 0; i < kSteppedBatch - 1; ++i) {
      ASSERT_TRUE(ring.produce_unlocked(&stepped_entry));
      ASSERT_NE(ring.consume_unlocked(), nullptr);
    }
    std::size_t steps = 0;
    const Stepping::Hooked hook{[&](Stepping::Step /*step*/) {
      if (steps == when) {
        EXPECT_TRUE(ring.produce_unlocked(&stepped_entry));
      }
      EXPECT_EQ(ring.looks_empty(), steps < when);
      ++steps;
    }};
    ring.consume_unlocked();
  }
}

// The kind of stall that veth had in 2025. A driver whose ring is full stops its queue and wakes
// the consumer, unless the ring looks empty: then there would be nothing to wake it for. The
// consumer takes what it may in one go and sleeps. True when the queue is stopped, the consumer
// asleep and the ring not empty: nobody will ever change that. `at`: the consumer's store after
// which the driver comes.
template <class Clear, class Wake>
bool stalls(std::size_t at, Wake&& wake) {
  constexpr std::size_t kBudget = kSteppedBatch;
  SteppedRing<Clear> ring{kStepped};
  fill(ring);
  bool stopped = false;
  bool woken = false;
  {
    std::size_t stores = 0;
    const Stepping::Hooked hook{[&](Stepping::Step step) {
      if (step != Stepping::Step::kStore || stores++ != at) return;
      stopped = !ring.produce_unlocked(&stepped_entry);
      woken = stopped && wake(ring);
    }};
    for (std::size_t i = 0; i < kBudget; ++i) ring.consume_unlocked();
  }
  return stopped && !woken && !ring.looks_empty();
}

// At how many of the consumer's stores the driver stalls; 2 * kSteppedBatch is at least all of
// them.
template <class Clear, class Wake>
std::size_t stalls(Wake&& wake) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < 2 * kSteppedBatch; ++at) count += stalls<Clear>(at, wake) ? 1 : 0;
  return count;
}

constexpr auto wake_unless_it_looks_empty = [](const auto& ring) { return !ring.looks_empty(); };
constexpr auto wake_when_it_is_full = [](const auto& ring) { return ring.full_unlocked(); };

TEST(ADriverThatWakesUnlessTheRingLooksEmpty, StallsWhereABatchIsClearedBeforeTheHeadMoves) {
  // Not after the last of the 16 clearings: it freed the slot that the driver needed.
  EXPECT_EQ(stalls<ZeroBatch>(wake_unless_it_looks_empty), kSteppedBatch - 1);
  EXPECT_EQ(stalls<FlushOnEmpty<ZeroBatch>>(wake_unless_it_looks_empty), kSteppedBatch - 1);
}

TEST(ADriverThatWakesUnlessTheRingLooksEmpty, NeverStallsWhereTheHeadMovesFirst) {
  EXPECT_EQ(stalls<ClearAfterHead>(wake_unless_it_looks_empty), 0U);
  EXPECT_EQ(stalls<ClearAfterHeadBarriers>(wake_unless_it_looks_empty), 0U);
}

// Whether the ring is still full is the producer's own knowledge: it is never told wrong.
TYPED_TEST(LooksEmpty, IsNotWhatADriverNeedsThatWakesWhileTheRingIsFull) {
  EXPECT_EQ(stalls<TypeParam>(wake_when_it_is_full), 0U);
}

}  // namespace
}  // namespace qdiscsim
