#include "daemon/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

using ::testing::StartsWith;

class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() {
    snapshot_ = sample_snapshot();
    BandSnapshot& band = snapshot_.devices[0].queues[0].bands[2];
    band.backlog_packets = 1000;
    rates_.push(snapshot_);
    snapshot_.taken_at += kSecond;
    snapshot_.devices[0].queues[0].tx_packets += 1'488'095;
    snapshot_.devices[0].queues[0].offered_packets += 2'000'000;
    band.enqueue_attempts += 1000;
    band.dropped_overlimit += 501;
    snapshot_.generators[0].behind_seconds = 12e-6;
    rates_.push(snapshot_);
  }

  Snapshot snapshot_;
  RateWindow rates_;
};

TEST_F(ProgressTest, ShowsOneDeviceWithItsBands) {
  EXPECT_EQ(format_progress(snapshot_, rates_, 200),
            "eth0  1.488 Mpps  offered 2.000 Mpps  drops b0 0.0% b1 0.0% b2 50.1%  backlog "
            "100/100/1000  lag 12 us");
}

TEST_F(ProgressTest, LeavesOutWholePartsInsteadOfCuttingWords) {
  const std::string whole = format_progress(snapshot_, rates_, 200);
  for (std::size_t width = 0; width <= whole.size(); ++width) {
    const std::string line = format_progress(snapshot_, rates_, width);
    EXPECT_LE(line.size(), width);
    EXPECT_THAT(whole, StartsWith(line));
    EXPECT_TRUE(line.empty() || line == whole || whole.substr(line.size(), 2) == "  ") << line;
  }
  EXPECT_EQ(format_progress(snapshot_, rates_, 80),
            "eth0  1.488 Mpps  offered 2.000 Mpps  drops b0 0.0% b1 0.0% b2 50.1%");
}

TEST_F(ProgressTest, AddsSeveralDevicesUpAndNamesTheWorst) {
  Snapshot two = snapshot_;
  two.devices.push_back(two.devices[0]);
  two.devices[1].name = "eth1";
  RateWindow rates;
  rates.push(two);
  two.taken_at += kSecond;
  two.devices[0].queues[0].tx_packets += 1'000'000;
  two.devices[0].queues[0].offered_packets += 1'000'000;
  two.devices[1].queues[0].tx_packets += 500'000;
  two.devices[1].queues[0].offered_packets += 1'000'000;
  two.devices[1].queues[0].bands[1].dropped_overlimit += 500'000;
  rates.push(two);
  EXPECT_EQ(format_progress(two, rates, 200),
            "2 devices  1.500 Mpps  offered 2.000 Mpps  drops 25.0% (worst eth1 50.0%)  backlog "
            "200/200/2000  lag 12 us");
}

TEST_F(ProgressTest, HasNothingToSayWithoutHistoryButZeros) {
  EXPECT_EQ(format_progress(sample_snapshot(), RateWindow{}, 40), "eth0  0 pps  offered 0 pps");
}

}  // namespace
}  // namespace qdiscsim
