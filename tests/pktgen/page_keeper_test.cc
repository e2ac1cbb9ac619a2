// A consumer that keeps pages: which, how many, and that nothing but the page stays behind.
#include "pktgen/page_keeper.h"

#include <gtest/gtest.h>

#include "tests/pktgen/generator_lab.h"

namespace qdiscsim {
namespace {

class PageKeeperTest : public test::GeneratorTest {
 protected:
  static GeneratorSettings leaking(std::uint64_t every, std::uint64_t at_most) {
    GeneratorSettings settings;
    settings.leak = {every, at_most};
    return settings;
  }
  void send(int packets) {
    for (int i = 0; i < packets; ++i) ASSERT_TRUE(generator_->step());
  }
  std::uint64_t out() const {
    return static_cast<std::uint64_t>(pool_.inflight()) - pool_.cache_pages() - pool_.ring_pages();
  }
  // The lab expects every page at home at the end.
  void TearDown() override {
    if (generator_) generator_->finish();
    generator_.reset();
  }
};

TEST_F(PageKeeperTest, KeepsThePageOfEveryNthPacketUpToItsLimit) {
  start(leaking(10, 3));
  send(9);
  EXPECT_EQ(generator_->keeper().kept(), 0U);
  send(1);
  EXPECT_EQ(generator_->keeper().kept(), 1U);
  EXPECT_EQ(out(), 1U);
  send(19);
  EXPECT_EQ(out(), 2U);
  send(1'000);
  EXPECT_EQ(generator_->keeper().kept(), 3U);
  EXPECT_EQ(out(), 3U) << "hold - release counts them, cache and ring do not have them";
  EXPECT_EQ(pool_.stats().recycle_released_refcnt, 0U) << "they were not given up either";
}

TEST_F(PageKeeperTest, LetsThePacketGoItsWay) {
  start(leaking(1, 5));
  send(20);
  EXPECT_EQ(counters().sent.read(), 20U);
  EXPECT_EQ(device_.seen.size(), 20U);
  EXPECT_EQ(counters().errors.read(), 0U);
}

TEST_F(PageKeeperTest, TellsPagesWhosePacketWaitsFromThoseThatOnlyItHolds) {
  device_.holds = true;
  start(leaking(2, 100));
  generator_->step();
  generator_->step();
  EXPECT_EQ(generator_->keeper().kept(), 1U);
  EXPECT_EQ(generator_->keeper().kept_alone(), 0U);
  EXPECT_EQ(out(), 2U);
  for (Skb<Smp>* skb : device_.held) memory_.consume(skb, 0);
  device_.held.clear();
  EXPECT_EQ(generator_->keeper().kept_alone(), 1U);
  EXPECT_EQ(out(), 1U);
}

TEST_F(PageKeeperTest, KeepsOnePageOfManyCopies) {
  GeneratorSettings settings = leaking(1, 100);
  settings.mode = TransmitMode::kStartXmit;
  settings.clone_skb = 8;
  start(settings);
  send(16);
  EXPECT_EQ(counters().sent.read(), 16U);
  EXPECT_EQ(generator_->keeper().kept(), 2U);
}

TEST_F(PageKeeperTest, ChangesItsMindWithNewSettingsButGivesNothingBack) {
  start({});
  send(50);
  EXPECT_EQ(out(), 0U);
  generator_->finish();
  generator_->restart(leaking(5, 4));
  generator_->start();
  send(100);
  EXPECT_EQ(out(), 4U);
  for (const std::uint64_t at_most : {2U, 6U}) {
    generator_->finish();
    generator_->restart(leaking(5, at_most));
    generator_->start();
    send(100);
    EXPECT_EQ(out(), at_most == 2 ? 4U : 6U);
  }
}

TEST_F(PageKeeperTest, LeavesAPoolThatIsAtItsEndWaitingForIt) {
  start(leaking(1, 3));
  send(10);
  generator_->finish();
  EXPECT_EQ(pool_.destroy(), 3);
  EXPECT_EQ(allocator_.free_pages(), 512U - 3U);
  generator_.reset();  // lets go
  EXPECT_EQ(pool_.destroy(), 0);
  EXPECT_EQ(allocator_.free_pages(), 512U);
}

}  // namespace
}  // namespace qdiscsim
