#include "base/check.h"

#include <gtest/gtest.h>

namespace {

TEST(Check, PassesInSilenceWhenTheConditionHolds) {
  QDISCSIM_CHECK(1 + 1 == 2);
  QDISCSIM_CHECK_EQ(3, 3U);
}

TEST(CheckDeathTest, AbortsAndNamesTheCondition) {
  EXPECT_DEATH(QDISCSIM_CHECK(1 + 1 == 3), "check_test.cc:.*invariant broken: 1 \\+ 1 == 3");
}

TEST(CheckDeathTest, PrintsBothNumbersOfAnInequality) {
  const int left = 12;
  const unsigned right = 345;
  EXPECT_DEATH(QDISCSIM_CHECK_EQ(left, right), "left == right: 12 against 345");
}

TEST(Check, EvaluatesItsOperandsOnce) {
  int calls = 0;
  QDISCSIM_CHECK_EQ(++calls, 1);
  EXPECT_EQ(calls, 1);
}

}  // namespace
