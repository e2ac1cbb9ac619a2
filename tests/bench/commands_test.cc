#include "bench/ring/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "config/exit_codes.h"
#include "tests/bench/fake_registry.h"

namespace qdiscsim::ring_bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() : registry_{test::fake_registry()} {}

  Done execute(
      const std::string& line, const std::function<bool()>& stop = [] { return false; }) {
    std::istringstream words{"ring_bench " + line};
    std::vector<std::string> arguments{std::istream_iterator<std::string>{words}, {}};
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    const Options options = parse_options(static_cast<int>(argv.size()), argv.data(), registry_,
                                          config::Cpus::first(2));
    lines_.clear();
    return ring_bench::execute(options, registry_, stop,
                               [this](const std::string& text) { lines_.push_back(text); });
  }

  Registry registry_;
  std::vector<std::string> lines_;
};

TEST_F(CommandsTest, RunPrintsALineARunAsItComes) {
  const Done done = execute("-m mpsc --ring fast --ring slow --producers 2,4 --repeat 3");
  EXPECT_EQ(done.exit_code, 0) << done.failure;
  EXPECT_THAT(done.text, IsEmpty());
  ASSERT_THAT(lines_, SizeIs(12));
  EXPECT_THAT(lines_[0], StartsWith("mpsc fast (2 producers): 100.0 M items/s"));
  EXPECT_THAT(lines_[11], StartsWith("mpsc slow (4 producers): "));
}

TEST_F(CommandsTest, RunSaysWhatFailedAndGoesOnWithTheOthers) {
  const Done done = execute("-m mpsc --ring broken --ring fast --repeat 3");
  EXPECT_EQ(done.exit_code, config::kExitSoftware);
  EXPECT_EQ(done.failure, "broken: order broken: expected item 7, found item 9");
  EXPECT_THAT(lines_, SizeIs(3));
}

TEST_F(CommandsTest, RunWritesJsonOrATable) {
  const Done done = execute("-m mpsc --repeat 2 --json");
  const auto json = nlohmann::json::parse(done.text);
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["mode"], "mpsc");
  EXPECT_THAT(lines_, IsEmpty());
  EXPECT_THAT(execute("-m mpsc --markdown").text, HasSubstr("\n| fast |"));
}

TEST_F(CommandsTest, RunStopsWhenAskedTo) {
  int asked = 0;
  const Done done = execute("-m mpsc --repeat 100", [&] { return ++asked > 3; });
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(lines_, SizeIs(3));
}

TEST_F(CommandsTest, CompareGivesVerdicts) {
  const Done done = execute("compare fast slow fast_too -m mpsc --json");
  EXPECT_EQ(done.exit_code, 0) << done.failure;
  const auto json = nlohmann::json::parse(done.text);
  const auto& rings = json["settings"][0]["rings"];
  EXPECT_EQ(rings[0]["verdict"], "base");
  EXPECT_EQ(rings[1]["verdict"], "slower");
  EXPECT_EQ(rings[2]["verdict"], "no difference shown");
  EXPECT_EQ(json["settings"][0]["control"]["verdict"], "no difference shown");
  EXPECT_EQ(json["command"], "ring_bench compare fast slow fast_too -m mpsc --json");
}

TEST_F(CommandsTest, CompareGoesOnWithoutTheOneThatFailed) {
  const Done done = execute("compare fast broken slow -m mpsc");
  EXPECT_EQ(done.exit_code, config::kExitSoftware);
  EXPECT_EQ(done.failure, "broken: order broken: expected item 7, found item 9");
  EXPECT_THAT(done.text, HasSubstr("slower"));
  EXPECT_THAT(done.text, HasSubstr("failed"));
  EXPECT_THAT(done.text, StartsWith("WARNING: broken failed"));
}

TEST_F(CommandsTest, CompareHasNothingToSayWithoutItsBase) {
  const Done done = execute("compare broken fast -m mpsc");
  EXPECT_EQ(done.exit_code, config::kExitSoftware);
  EXPECT_EQ(done.failure, "broken: order broken: expected item 7, found item 9");
  EXPECT_THAT(done.text, IsEmpty());
}

TEST_F(CommandsTest, CompareShowsWhatIsKnownWhenItIsStopped) {
  int asked = 0;
  const Done done =
      execute("compare fast slow -m mpsc --producers 2,4", [&] { return ++asked > 2 + 3 * 4 + 1; });
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.text, HasSubstr("2 producers: 4 rounds in"));
  EXPECT_THAT(done.text, HasSubstr("WARNING: 2 producers: interrupted"));
  EXPECT_THAT(done.text, Not(HasSubstr("4 producers: ")));
}

TEST_F(CommandsTest, ListIsTextOrJson) {
  EXPECT_THAT(execute("list").text, HasSubstr("2  mpsc: many producers"));
  EXPECT_EQ(nlohmann::json::parse(execute("list --json").text)["modes"].size(), 3U);
}

TEST_F(CommandsTest, AWrongCommandLineRunsNothing) {
  const Done done = execute("-s 1 -m mpsc");
  EXPECT_EQ(done.exit_code, config::kExitUsage);
  EXPECT_THAT(done.text, IsEmpty());
  EXPECT_EQ(done.failure, "-s 1: must be 2 to 10000000");
}

}  // namespace
}  // namespace qdiscsim::ring_bench
