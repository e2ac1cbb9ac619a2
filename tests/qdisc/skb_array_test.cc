#include "qdisc/skb_array.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using ArraySkb = Skb<smp::Native>;

// 802.1Q, priority 3, VLAN 100.
constexpr std::uint32_t kTag = 0x8100U << 16U | 3U << 13U | 100U;

class SkbArrayTest : public testing::Test {
 protected:
  SkbArrayTest() {
    for (std::uint32_t i = 0; i < skbs_.size(); ++i) skbs_.at(i).len = 60 + i;
  }

  SkbArray<smp::Native> array_{4};
  std::array<ArraySkb, 6> skbs_{};
};

TEST_F(SkbArrayTest, PeekLenIsTheLengthOfTheOldestPacketAndTakesNothing) {
  ASSERT_TRUE(array_.produce(&skbs_[0]));
  ASSERT_TRUE(array_.produce(&skbs_[1]));
  EXPECT_EQ(array_.peek_len(), 60U);
  EXPECT_EQ(array_.peek_len_unlocked(), 60U);
  EXPECT_EQ(array_.consume(), &skbs_[0]);
  EXPECT_EQ(array_.peek_len(), 61U);
}

TEST_F(SkbArrayTest, PeekLenOfAnEmptyArrayIsZero) {
  EXPECT_EQ(array_.peek_len(), 0U);
  EXPECT_EQ(array_.peek_len_unlocked(), 0U);
}

TEST_F(SkbArrayTest, PeekLenCountsATagThatIsOutOfLine) {
  skbs_[0].vlan_tag = kTag;
  ASSERT_TRUE(array_.produce(&skbs_[0]));
  EXPECT_EQ(array_.peek_len(), 64U);
  EXPECT_EQ(array_.peek_len_unlocked(), 64U);
  // The qdisc counts the packet as it is.
  EXPECT_EQ(skbs_[0].pkt_len(), 60U);
}

TEST_F(SkbArrayTest, GivesBackWhatItWasGivenAndKeepsOrder) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(array_.produce(&skbs_.at(static_cast<std::size_t>(i))));
  EXPECT_FALSE(array_.produce(&skbs_[4]));
  std::array<ArraySkb*, 3> out{};
  ASSERT_EQ(array_.consume_batched(out), 3U);
  EXPECT_EQ(out, (std::array{&skbs_[0], &skbs_[1], &skbs_[2]}));
  array_.unconsume(std::span<ArraySkb* const>{out}.subspan(1),
                   [](ArraySkb*) { FAIL() << "all fit"; });
  EXPECT_EQ(array_.peek_len(), 61U);
}

TEST_F(SkbArrayTest, ResizeHandsOutThePacketsThatNoLongerFit) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(array_.produce(&skbs_.at(static_cast<std::size_t>(i))));
  std::vector<ArraySkb*> lost;
  EXPECT_TRUE(array_.resize(2, [&](ArraySkb* skb) { lost.push_back(skb); }));
  EXPECT_EQ(lost, (std::vector{&skbs_[2], &skbs_[3]}));
  EXPECT_EQ(array_.size(), 2U);
}

TEST_F(SkbArrayTest, AnSkbIsStillOneCacheLine) {
  EXPECT_EQ(sizeof(ArraySkb), kCacheLine);
}

}  // namespace
}  // namespace qdiscsim
