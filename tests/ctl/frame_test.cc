#include "ctl/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdiscsim::ctl {
namespace {

using ::testing::HasSubstr;

FrameInput sample(std::size_t width, std::size_t height) {
  Device device;
  device.name = "eth0";
  device.link = "wire";
  device.link_bits_per_second = 1e9;
  device.queues = 1;
  device.offered_pps = 2e6;
  device.delivered_pps = 1.488e6;
  device.dropped_pps = 512e3;
  device.offered = 4'000'000'000;
  device.delivered = 2'976'190'123;
  for (int i = 0; i < 3; ++i) {
    Band band;
    band.offered_pps = 666e3;
    band.backlog = 1000;
    band.limit = 1000;
    band.dropped_overlimit = 123'456'789;
    if (i == 0) band.sojourn = Latency{9, 1e-6, 2e-6, 3e-6, 456e-6, 1e-3, 0.5};
    device.bands.push_back(band);
  }
  Summary summary;
  summary.version = "0.1.0";
  summary.state = "ready";
  summary.devices = {device};
  for (int i = 0; i < 5; ++i) {
    Generator generator;
    generator.name = "mixed/" + std::to_string(i);
    generator.device = "eth0";
    generator.running = true;
    generator.rate_pps = 400e3 + i;
    summary.generators.push_back(generator);
    PagePool pool;
    pool.name = generator.name;
    for (const char* path : {"fast", "slow", "slow_high_order", "empty", "refill", "waive"}) {
      pool.alloc_pps.emplace_back(path, 123456);
    }
    for (const char* path : {"cached", "cache_full", "ring", "ring_full", "released_refcnt"}) {
      pool.recycle_pps.emplace_back(path, 123456);
    }
    summary.pools.push_back(pool);
  }
  FrameInput in;
  in.summary = summary;
  in.width = width;
  in.height = height;
  return in;
}

TEST(Frame, FitsEverySizeAndCutsNothingFrom80x24On) {
  for (std::size_t width = 1; width <= 220; ++width) {
    for (const std::size_t height : {1U, 2U, 10U, 24U, 50U}) {
      const auto lines = draw(sample(width, height));
      EXPECT_EQ(lines.size(), height);
      for (const Line& line : lines) {
        ASSERT_LE(columns(line), width);
        if (width >= 80) {
          EXPECT_FALSE(plain(line).ends_with('~')) << width << ": " << plain(line);
        }
      }
    }
  }
}

TEST(Frame, ShowsWhatIsUnknownAsADashAndTheRestInFigures) {
  const std::string text = plain(draw(sample(80, 24)));
  for (const char* part : {"[eth0]", "1.488 Mpps", "2,976,190,123 packets", "456 us", "1000/1000",
                           "... ", "mixed/0", "band 1", " - "}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
  EXPECT_THAT(plain(draw(sample(200, 50))), HasSubstr("DEACTIVATED"));
}

TEST(Frame, SaysThatTheDaemonIsLost) {
  FrameInput in = sample(80, 24);
  in.lost = "unix:/s: is not there; trying again";
  EXPECT_THAT(plain(draw(in)), HasSubstr("LOST: unix:/s: is not there"));
  in.summary.reset();
  EXPECT_THAT(plain(draw(in)), HasSubstr("asking"));
}

TEST(Bar, NeverLooksEmptyOrFullWhenItIsNot) {
  EXPECT_EQ(bar(0.001, 4, false), "#---");
  EXPECT_EQ(bar(0.999, 4, false), "###-");
  EXPECT_EQ(bar(1, 4, false), "####");
  EXPECT_EQ(columns(bar(0.37, 10, true)), 10U);
}

}  // namespace
}  // namespace qdiscsim::ctl
