#include "bench/ring/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace qdiscsim::ring_bench {
namespace {

using ::testing::StartsWith;

const std::string kCas = "cas";

// Four runs a round, 9 to 100 rounds, at most two minutes.
Position at(std::size_t round, std::size_t run, Nanoseconds elapsed) {
  return {"", {round, run, 4, &kCas}, 9, 100, elapsed, 120 * kSecond};
}

TEST(Progress, BeginsWithTheWarmUp) {
  EXPECT_EQ(format_progress(at(0, 2, 0), 200), "[....................]  warm-up, cas");
}

TEST(Progress, TellsTheRoundAndTheTimeLeft) {
  // 10 of 36 runs took 5 s: 13 s more.
  EXPECT_EQ(format_progress(at(3, 2, 5 * kSecond), 200),
            "[#####...............]  round 3 of at least 9, cas  about 13 s left");
}

TEST(Progress, BeyondTheLeastTellsTheMostThatIsLeft) {
  // 36 of 400 runs took 18 s: 182 s more, but time is up after 120 s.
  EXPECT_EQ(format_progress(at(10, 0, 18 * kSecond), 200),
            "[####################]  round 10 of at most 100, cas  at most 102 s left");
  EXPECT_EQ(format_progress(at(91, 0, 36 * kSecond), 200),
            "[####################]  round 91 of at most 100, cas  at most 4 s left");
}

TEST(Progress, NamesTheSettingLast) {
  Position position = at(1, 0, 0);
  position.setting = "4 producers";
  EXPECT_EQ(format_progress(position, 200),
            "[....................]  round 1 of at least 9, cas  4 producers");
}

TEST(Progress, LeavesOutWholePartsInsteadOfCuttingWords) {
  Position position = at(3, 2, 5 * kSecond);
  position.setting = "4 producers";
  const std::string whole = format_progress(position, 200);
  for (std::size_t width = 0; width <= whole.size(); ++width) {
    const std::string line = format_progress(position, width);
    EXPECT_LE(line.size(), width);
    EXPECT_THAT(whole, StartsWith(line));
    EXPECT_TRUE(line.empty() || line == whole || whole.substr(line.size(), 2) == "  ") << line;
  }
}

TEST(Progress, IsSilentWhenNotWantedOrNotOnATerminal) {
  EXPECT_FALSE(Progress{false}.enabled());
  if (isatty(STDERR_FILENO) == 0) {
    EXPECT_FALSE(Progress{true}.enabled());
  }
}

}  // namespace
}  // namespace qdiscsim::ring_bench
