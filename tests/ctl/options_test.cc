#include "ctl/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ctl/address.h"
#include "ctl/exit_codes.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

using ::testing::HasSubstr;

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), "qdiscsimctl");
  return parse_options(static_cast<int>(words.size()), words.data());
}

TEST(CtlOptions, TakeWordsAsTcDoes) {
  const Options options = parse({"qdisc", "show", "-s", "dev", "eth0", "--socket", "/s"});
  EXPECT_EQ(options.command, Command::kQdisc);
  EXPECT_EQ(options.device, "eth0");
  EXPECT_TRUE(options.statistics);
  EXPECT_EQ(options.socket, "/s");
}

TEST(CtlOptions, TakeAStallApart) {
  const Options options = parse({"device", "eth0", "stall", "1", "250"});
  EXPECT_EQ(options.queue, 1U);
  EXPECT_EQ(options.stall_ms, 250U);
}

TEST(CtlOptions, SayWhatIsWrongAndWhereToLook) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{},
                                             {"qdisc", "eth0"},
                                             {"set", "generator", "a"},
                                             {"set", "generator", "a", "b"},
                                             {"device", "eth0", "stall", "x", "1"},
                                             {"top", "-i", "0"},
                                             {"completion", "tcsh"}}) {
    const Options options = parse(words);
    EXPECT_EQ(options.exit_code, kExitUsage);
    EXPECT_THAT(options.text, HasSubstr("--help"));
  }
}

TEST(CtlOptions, HelpListsExitCodesAndExamples) {
  const Options options = parse({"--help"});
  EXPECT_EQ(options.exit_code, kExitOk);
  EXPECT_THAT(options.text, HasSubstr("Exit codes:"));
  EXPECT_THAT(options.text, HasSubstr("Examples:"));
}

TEST(CtlAddress, IsReadFromAUrl) {
  EXPECT_EQ(parse_url("http://[::1]:80/"), (Address{"", "::1", "80"}));
  EXPECT_EQ(parse_url("http://host"), (Address{"", "host", "9713"}));
  for (const char* url :
       {"https://host", "http://", "http://h:x", "http://h:70000", "http://[::1"}) {
    EXPECT_THROW(parse_url(url), Failure) << url;
  }
}

}  // namespace
}  // namespace qdiscsim::ctl
