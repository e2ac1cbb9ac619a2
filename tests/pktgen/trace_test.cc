// A trace and the ways through it: when each packet is due, to the nanosecond.
#include "pktgen/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/prng.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

__extension__ using Wide = unsigned __int128;

std::shared_ptr<const Trace> trace_of(const std::vector<Nanoseconds>& gaps) {
  auto trace = std::make_shared<Trace>();
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    trace->add(gaps[i], 100 + i, static_cast<std::uint8_t>(i));
  }
  return trace;
}

// Due time and size of the next `most` packets; fewer when it ends.
std::vector<std::pair<Nanoseconds, std::uint32_t>> walk(const ReplayOptions& options, int most) {
  std::vector<std::pair<Nanoseconds, std::uint32_t>> steps;
  Replay replay{options};
  for (; most > 0 && !replay.ended(); --most, replay.next()) {
    steps.emplace_back(replay.due(), replay.packet().size());
  }
  return steps;
}

std::vector<Nanoseconds> times(const ReplayOptions& options, int most = 100) {
  std::vector<Nanoseconds> result;
  for (const auto& [due, size] : walk(options, most)) result.push_back(due);
  return result;
}

TEST(Trace, KeepsTimeSizeAndTosInTwelveBytes) {
  Trace trace;
  EXPECT_TRUE(trace.add(77, 60, 0x10));  // the first packet has no gap
  EXPECT_TRUE(trace.add(5'000'000'000, 1514, 0xff));
  EXPECT_EQ(trace[0].time(), 0U);
  EXPECT_EQ(trace[1].time(), 5'000'000'000U);
  EXPECT_EQ(trace[1].size(), 1514U);
  EXPECT_EQ(trace[1].tos(), 0xffU);
}

TEST(Trace, DerivesThePriorityFromTheTosAsLinuxDoes) {
  Trace trace;
  for (const int tos : {0x00, 0x08, 0x10, 0x18, 0x28, 0x30, 0xb8, 0xe0}) {
    trace.add(0, 60, static_cast<std::uint8_t>(tos));
  }
  std::vector<std::uint32_t> priorities;
  for (std::size_t i = 0; i < trace.size(); ++i) priorities.push_back(trace[i].priority());
  EXPECT_THAT(priorities, ElementsAre(0, 2, 6, 4, 2, 6, 4, 0));
}

TEST(Trace, ClampsSizesToThoseOfAPacketThatAPageHolds) {
  Trace trace;
  for (const std::uint64_t size : {0ULL, 41ULL, 42ULL, 3500ULL, 3501ULL, 65'549ULL, ~0ULL}) {
    trace.add(0, size, 0);
  }
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < trace.size(); ++i) sizes.push_back(trace[i].size());
  EXPECT_THAT(sizes, ElementsAre(42, 42, 42, 3500, 3500, 3500, 3500));
}

TEST(Trace, IsNeverLongerThanNinetyDays) {
  Trace trace;
  trace.add(0, 60, 0);
  EXPECT_TRUE(trace.add(Trace::kLongest, 60, 0));
  EXPECT_FALSE(trace.add(1, 60, 0));
  EXPECT_FALSE(trace.add(UINT64_MAX, 60, 0));
  EXPECT_EQ(trace.duration(), Trace::kLongest);
}

TEST(Replay, KeepsTheGapsOfTheCaptureAtItsOwnSpeed) {
  EXPECT_THAT(times({.trace = trace_of({0, 1'000, 0, 7, 30'000})}),
              ElementsAre(0, 1'000, 1'000, 1'007, 31'007));
}

TEST(Replay, ScalesTheGapsAndRoundsEachTimeDownOnce) {
  const auto trace = trace_of({0, 1'000, 1, 1, 1});
  EXPECT_THAT(times({.trace = trace, .value = 2'000}), ElementsAre(0, 500, 500, 501, 501));
  EXPECT_THAT(times({.trace = trace, .value = 500}), ElementsAre(0, 2'000, 2'002, 2'004, 2'006));
  EXPECT_THAT(times({.trace = trace, .value = 1}),
              ElementsAre(0, 1'000'000, 1'001'000, 1'002'000, 1'003'000));
  EXPECT_THAT(times({.trace = trace, .value = 1'000'000}), ElementsAre(0, 1, 1, 1, 1));
}

TEST(Replay, PacesEvenlyAtARateWhateverTheCapturesTimes) {
  EXPECT_THAT(times({.trace = trace_of({0, 1, 99'999, 5}), .pace = ReplayPace::kRate, .value = 3}),
              ElementsAre(0, 333'333'333, 666'666'666, 1'000'000'000));
}

TEST(Replay, HasNoDueTimesWhenItIsToGoAsFastAsItCan) {
  const auto trace = trace_of({0, 1'000});
  Replay replay{{.trace = trace, .pace = ReplayPace::kUnlimited}};
  EXPECT_TRUE(replay.active());
  EXPECT_FALSE(replay.timed());
  replay.next();
  EXPECT_FALSE(replay.ended());
  replay.next();
  EXPECT_TRUE(replay.ended());
}

TEST(Replay, StartsTheNextLapAMeanGapBehindTheLastPacket) {
  EXPECT_THAT(times({.trace = trace_of({0, 100, 500}), .loop = true}, 8),
              ElementsAre(0, 100, 600, 900, 1'000, 1'500, 1'800, 1'900));
  EXPECT_THAT(times({.trace = trace_of({0, 100, 500}), .loop = true, .value = 7'000}, 5),
              ElementsAre(0, 14, 85, 128, 142));  // 900 / 7 = 128.57, 1000 / 7 = 142.86
}

TEST(Replay, NeverDriftsOverManyLaps) {
  const auto trace = trace_of({0, 1, 2, 4});  // a lap takes 9
  Replay replay{{.trace = trace, .loop = true, .value = 7'777}};
  for (std::uint64_t lap = 0; lap < 100'000; ++lap) {
    for (std::size_t i = 0; i < trace->size(); ++i, replay.next()) {
      const Wide exact = (Wide{lap} * 9 + (*trace)[i].time()) * 1'000 / 7'777;
      ASSERT_EQ(replay.due(), static_cast<Nanoseconds>(exact)) << "lap " << lap << " packet " << i;
    }
  }
}

TEST(Replay, DealsTheCaptureOutToThreadsThatTogetherReplayIt) {
  for (const std::uint64_t seed : test::seeds(20)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    std::vector<Nanoseconds> gaps(prng.between(2, 40));
    for (Nanoseconds& gap : gaps) gap = prng.below(100'000);
    ReplayOptions options{.trace = trace_of(gaps), .loop = prng.below(2) == 1};
    options.pace = prng.below(2) == 1 ? ReplayPace::kGaps : ReplayPace::kRate;
    options.value = prng.between(1, 1'000'000);
    const int packets = options.loop ? 500 : static_cast<int>(gaps.size());
    const auto together = walk(options, packets);
    options.threads = prng.between(2, 128);
    for (std::uint32_t i = 0; i < options.threads; ++i) {
      options.thread = i;
      const auto one = walk(options, 1'000);
      for (std::size_t k = 0; i + k * options.threads < together.size(); ++k) {
        ASSERT_LT(k, one.size());
        ASSERT_EQ(one[k], together[i + k * options.threads]) << "thread " << i << " packet " << k;
      }
    }
  }
}

TEST(Replay, EndsAtOnceForAThreadThatGetsNoPacket) {
  const auto trace = trace_of({0, 1, 1});
  const Replay replay{{.trace = trace, .thread = 3, .threads = 4}};
  EXPECT_TRUE(replay.ended());
  EXPECT_EQ(replay.left(9), 0U);
}

TEST(Replay, IsNotActiveWithoutAPacket) {
  EXPECT_FALSE(Replay{{}}.active());
  EXPECT_FALSE(Replay{{.trace = std::make_shared<Trace>()}}.active());
  EXPECT_EQ(Replay{{}}.left(7), 7U);
}

TEST(Replay, SaysHowManyAreLeftAndHowManyAreDue) {
  const auto trace = trace_of({0, 10, 10, 10, 10});
  Replay replay{{.trace = trace, .thread = 1, .threads = 2}};
  EXPECT_EQ(replay.left(64), 2U);  // at 10 and 30
  EXPECT_EQ(replay.due_by(9, 64), 0U);
  EXPECT_EQ(replay.due_by(10, 64), 1U);
  EXPECT_EQ(replay.due_by(1'000, 64), 2U);
  EXPECT_EQ(replay.due_by(1'000, 1), 1U);
  replay.next();
  EXPECT_EQ(replay.left(64), 1U);
}

TEST(Replay, HasAMeanRate) {
  const auto trace = trace_of({0, 1'000, 1'000, 1'000});  // a lap of four takes 4 us
  EXPECT_DOUBLE_EQ(mean_rate({.trace = trace}), 1e6);
  EXPECT_DOUBLE_EQ(mean_rate({.trace = trace, .threads = 4, .value = 2'000}), 5e5);
  EXPECT_DOUBLE_EQ(mean_rate({.trace = trace, .pace = ReplayPace::kRate, .value = 77}), 77);
  EXPECT_DOUBLE_EQ(mean_rate({.trace = trace, .pace = ReplayPace::kUnlimited}), 0);
  EXPECT_DOUBLE_EQ(mean_rate({.trace = trace_of({0})}), 0);
  EXPECT_DOUBLE_EQ(mean_rate({}), 0);
}

}  // namespace
}  // namespace qdiscsim
