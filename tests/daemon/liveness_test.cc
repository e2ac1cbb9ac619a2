#include "daemon/liveness.h"

#include <gtest/gtest.h>

#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

class LivenessTest : public ::testing::Test {
 protected:
  GeneratorSnapshot& generator() { return snapshot_.generators[0]; }
  bool look_after(Nanoseconds time) {
    snapshot_.taken_at += time;
    return liveness_.look(snapshot_);
  }

  Snapshot snapshot_ = sample_snapshot();
  Liveness liveness_;
};

TEST_F(LivenessTest, SeesAGeneratorThatStandsStill) {
  EXPECT_TRUE(look_after(kSecond));
  EXPECT_FALSE(look_after(kSecond));
  EXPECT_EQ(liveness_.stuck(), "gen/0");
  ++generator().offered_packets;
  EXPECT_TRUE(look_after(kSecond));
  EXPECT_EQ(liveness_.stuck(), "");
}

TEST_F(LivenessTest, TakesAnyMoveForLife) {
  EXPECT_TRUE(look_after(kSecond));
  ++generator().waits;
  EXPECT_TRUE(look_after(kSecond));
  ++generator().errors;
  EXPECT_TRUE(look_after(kSecond));
}

TEST_F(LivenessTest, LeavesACaptureItsPausesButNotALateOne) {
  generator().keeps_gaps = true;
  generator().configured_pps = 1e6;
  generator().behind_seconds = 0;
  EXPECT_TRUE(look_after(kSecond));
  EXPECT_TRUE(look_after(1'000 * kSecond));
  generator().behind_seconds = 1.5;
  EXPECT_FALSE(look_after(kSecond));
  ++generator().offered_packets;
  EXPECT_TRUE(look_after(kSecond));
}

TEST_F(LivenessTest, LeavesASlowOneItsTime) {
  generator().configured_pps = 2;
  EXPECT_TRUE(look_after(kSecond));
  EXPECT_TRUE(look_after(kSecond));
  EXPECT_FALSE(look_after(10 * kSecond));
}

TEST_F(LivenessTest, AsksNothingOfOneAtRest) {
  generator().running = false;
  EXPECT_TRUE(look_after(kSecond));
  EXPECT_TRUE(look_after(kSecond));
  snapshot_.generators.clear();
  EXPECT_TRUE(look_after(kSecond));
}

}  // namespace
}  // namespace qdiscsim
