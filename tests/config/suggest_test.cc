#include "config/suggest.h"

#include <gtest/gtest.h>

namespace qdiscsim::config {
namespace {

TEST(Suggest, FindsTheNameBehindATypingError) {
  const std::vector<std::string> names{"threads", "tx_queue_len", "packet_size", "pin"};
  EXPECT_EQ(closest("thread", names), "threads");    // a letter missing
  EXPECT_EQ(closest("threadss", names), "threads");  // one too many
  EXPECT_EQ(closest("thraeds", names), "threads");   // two swapped
  EXPECT_EQ(closest("Tx-Queue-Len", names), "tx_queue_len");
  EXPECT_EQ(closest("txqueuelen", names), "tx_queue_len");
  EXPECT_EQ(closest("pkt_size", names), "packet_size");
}

TEST(Suggest, KeepsSilentWhenNothingIsClose) {
  EXPECT_EQ(closest("colour", {"seed", "log", "http"}), std::nullopt);
  EXPECT_EQ(closest("", {"a"}), std::nullopt);
  EXPECT_EQ(closest("x", {"a"}), std::nullopt);
  EXPECT_EQ(closest(std::string(100'000, 'a'), {"aa"}), std::nullopt);
}

TEST(Suggest, JoinsNamesWithOr) {
  EXPECT_EQ(join_or({}), "");
  EXPECT_EQ(join_or({"a"}), "a");
  EXPECT_EQ(join_or({"a", "b"}), "a or b");
  EXPECT_EQ(join_or({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace qdiscsim::config
