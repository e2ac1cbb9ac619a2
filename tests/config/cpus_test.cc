#include "config/cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace qdiscsim::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Cpus, AreReadFromTheKernelsListFormat) {
  EXPECT_THAT(parse_cpu_list("0"), ElementsAre(0));
  EXPECT_THAT(parse_cpu_list("0-2,8"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cpu_list("5,1-2,2"), ElementsAre(1, 2, 5));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("0-"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("a"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("0 1"), IsEmpty());
}

TEST(Cpus, AreWrittenInTheKernelsListFormat) {
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({3}), "3");
  EXPECT_EQ(format_cpu_list({0, 1, 2, 8}), "0-2,8");
}

TEST(Cpus, OfThisProcessAreOnlineAndAtLeastOne) {
  const Cpus cpus = Cpus::of_this_process();
  EXPECT_FALSE(cpus.allowed.empty());
  EXPECT_TRUE(std::includes(cpus.online.begin(), cpus.online.end(), cpus.allowed.begin(),
                            cpus.allowed.end()));
}

}  // namespace
}  // namespace qdiscsim::config
