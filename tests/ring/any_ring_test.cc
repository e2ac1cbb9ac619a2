// Every ring that a configuration can name, through AnyRing and TypedRing: the same small contract.
#include "ring/any_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/smp_native.h"
#include "ring/typed_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using Ring = TypedRing<int, AnyRing<Smp>>;

std::vector<RingChoice> all_choices() {
  std::vector<RingChoice> choices;
  for (const RingLock lock :
       {RingLock::kTestAndSet, RingLock::kTicket, RingLock::kMcs, RingLock::kYielding}) {
    choices.push_back({.lock = lock});
  }
  for (const RingClear clear : {RingClear::kZeroEach, RingClear::kClearAfterHead,
                                RingClear::kClearAfterHeadBarriers, RingClear::kFlushOnEmpty}) {
    choices.push_back({.clear = clear});
  }
  choices.push_back({.kind = RingKind::kMpsc});
  choices.push_back({.kind = RingKind::kLanes});
  for (const RingSync sync :
       {RingSync::kMultiThread, RingSync::kRelaxedTail, RingSync::kHeadTail}) {
    choices.push_back({.kind = RingKind::kRte, .sync = sync});
  }
  return choices;
}

class AnyRingTest : public testing::TestWithParam<RingChoice> {};

TEST_P(AnyRingTest, KeepsTheOrderOfAProducerAndRefusesWhatDoesNotFit) {
  Ring ring{7, 2, GetParam()};
  EXPECT_EQ(ring.size(), 7U);
  std::array<int, 10> items{};
  std::array<int*, 10> entries{};
  for (std::size_t i = 0; i < items.size(); ++i) entries[i] = &items[i];

  EXPECT_TRUE(ring.looks_empty());
  EXPECT_EQ(ring.peek_unlocked(), nullptr);
  EXPECT_TRUE(ring.produce(entries[0], 1));
  EXPECT_EQ(ring.produce_batched(std::span<int* const>{entries}.subspan(1), 1), 6U);
  EXPECT_FALSE(ring.produce(entries[9], 0));
  EXPECT_FALSE(ring.looks_empty());
  EXPECT_EQ(ring.count_at_rest(), 7U);

  EXPECT_EQ(ring.peek_unlocked(), entries[0]);
  EXPECT_EQ(ring.consume_unlocked(), entries[0]);
  EXPECT_EQ(ring.consume(), entries[1]);
  std::array<int*, 4> out{};
  EXPECT_EQ(ring.consume_batched_unlocked(std::span<int*>{out}), 4U);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], entries[i + 2]);
  std::vector<int*> rest;
  ring.cleanup([&](int* entry) { rest.push_back(entry); });
  EXPECT_EQ(rest, std::vector<int*>{entries[6]});
  EXPECT_EQ(ring.consume(), nullptr);
}

TEST_P(AnyRingTest, TakesAnotherSizeWithWhatIsInIt) {
  Ring first{4, 1, GetParam()};
  Ring second{4, 1, GetParam()};
  int item = 0;
  ASSERT_TRUE(second.produce(&item));
  AnyRing<Smp>* const rings[]{&first.untyped_ring(), &second.untyped_ring()};
  ASSERT_TRUE(AnyRing<Smp>::resize_multiple(rings, 9, [](void*) { ADD_FAILURE() << "dropped"; }));
  EXPECT_EQ(first.size(), 9U);
  EXPECT_EQ(second.size(), 9U);
  EXPECT_EQ(second.consume(), &item);
}

INSTANTIATE_TEST_SUITE_P(Every, AnyRingTest, testing::ValuesIn(all_choices()),
                         [](const auto& param) {
                           const RingChoice& choice = param.param;
                           return "kind" + std::to_string(static_cast<int>(choice.kind)) + "lock" +
                                  std::to_string(static_cast<int>(choice.lock)) + "clear" +
                                  std::to_string(static_cast<int>(choice.clear)) + "sync" +
                                  std::to_string(static_cast<int>(choice.sync));
                         });

}  // namespace
}  // namespace qdiscsim
