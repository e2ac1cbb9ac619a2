// How a written command falls into words and numbers.
#include "pktgenfs/words.h"

#include <gtest/gtest.h>

namespace qdiscsim::pktgenfs {
namespace {

TEST(Words, AreSeparatedBySpacesQuotesLineEndsAndEqualsSigns) {
  Words words{" \"\t=count = 5\r\n", true};
  words.skip_separators();
  EXPECT_EQ(words.word(15), "count");
  words.skip_separators();
  EXPECT_EQ(words.number(10).value, 5U);
  words.skip_separators();
  EXPECT_TRUE(words.at_end());
}

TEST(Words, AnEqualsSignEndsAWordInNewKernelsOnly) {
  EXPECT_EQ((Words{"count=5", true}.word(15)), "count");
  EXPECT_EQ((Words{"count=5", false}.word(15)), "count=5");
}

TEST(Words, AWordIsCutWhereItsRoomEnds) {
  Words words{"abcdefgh", true};
  EXPECT_EQ(words.word(3), "abc");
  EXPECT_EQ(words.word(3), "def");
}

TEST(Words, ANumberEndsAtTheFirstByteThatIsNoDigit) {
  Words words{"300M", true};
  const Words::Number number = words.number(10);
  EXPECT_EQ(number.value, 300U);
  EXPECT_EQ(number.digits, 3U);
  EXPECT_EQ((Words{"", true}.number(10).digits), 0U);
  EXPECT_EQ((Words{"-1", true}.number(10).value), 0U);
  EXPECT_EQ((Words{"123456", true}.number(4).value), 1234U);
  EXPECT_EQ((Words{"99999999999", true}.number(10).value), 9'999'999'999U);
}

TEST(Words, HexadecimalDigitsComeInBothCases) {
  EXPECT_EQ((Words{"aBf0", true}.hex(8).value), 0xabf0U);
  EXPECT_EQ((Words{"1g", true}.hex(2).digits), 1U);
}

}  // namespace
}  // namespace qdiscsim::pktgenfs
