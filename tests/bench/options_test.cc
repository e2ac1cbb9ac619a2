#include "bench/ring/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "bench/ring/option_values.h"
#include "config/exit_codes.h"
#include "tests/bench/fake_registry.h"

namespace qdiscsim::ring_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Registry& registry() {
  static const Registry kRegistry = test::fake_registry();
  return kRegistry;
}

// Blanks separate arguments; a machine of four CPUs, of which this process may use three.
Options parse(const std::string& line) {
  std::istringstream words{"ring_bench " + line};
  std::vector<std::string> arguments{std::istream_iterator<std::string>{words}, {}};
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  config::Cpus cpus = config::Cpus::first(4);
  cpus.allowed = {0, 1, 3};
  return parse_options(static_cast<int>(argv.size()), argv.data(), registry(), cpus);
}

std::vector<std::string> names(const Options& options) {
  std::vector<std::string> result;
  for (const Variant* variant : options.variants) result.push_back(variant->name);
  return result;
}

std::vector<std::string> labels(const Options& options) {
  std::vector<std::string> result;
  for (const Setting& setting : options.settings) result.push_back(setting.label);
  return result;
}

TEST(Options, RunTheFirstRingOfTheFirstModeByDefault) {
  const Options options = parse("");
  EXPECT_EQ(options.command, Command::kRun) << options.text;
  EXPECT_EQ(options.mode->name, "simple");
  EXPECT_THAT(names(options), ElementsAre("one"));
  EXPECT_EQ(options.repeat, 1U);
  ASSERT_EQ(options.settings.size(), 1U);
  const Params& params = options.settings[0].params;
  EXPECT_EQ(params.count, 2'000'000U);
  EXPECT_EQ(params.size, 1024U);
  EXPECT_THAT(params.cpus, IsEmpty());
  EXPECT_EQ(options.settings[0].label, "");
}

TEST(Options, KeepTheFlagsOfTheKernelsSelftest) {
  const Options options = parse("-N 500 -s 2 -m 2");
  EXPECT_EQ(options.mode->name, "mpsc");
  EXPECT_EQ(options.settings[0].params.count, 500U);
  EXPECT_EQ(options.settings[0].params.size, 2U);
  EXPECT_EQ(parse("-s 10000000").settings[0].params.size, 10'000'000U);
}

TEST(Options, TakeTheWholeWorkload) {
  const Options options = parse(
      "run -m mpsc --ring slow --ring fast --producers 4 --burst 8 --pop 16 --pin 3,0-1 "
      "--time-limit 250ms --seed 18446744073709551615 --batch random --delayed-interrupt "
      "--no-event-index --notify-always --reset 99 --outstanding 7 --sleep --repeat 5 --json");
  ASSERT_EQ(options.command, Command::kRun) << options.text;
  EXPECT_THAT(names(options), ElementsAre("slow", "fast"));
  const Params& params = options.settings[0].params;
  EXPECT_EQ(params.producers, 4U);
  EXPECT_EQ(params.burst, 8U);
  EXPECT_EQ(params.pop, 16U);
  EXPECT_THAT(params.cpus, ElementsAre(3, 0, 1));
  EXPECT_EQ(params.time_limit, 250 * kMillisecond);
  EXPECT_EQ(params.seed, 18446744073709551615U);
  EXPECT_EQ(params.batch, 0U);
  EXPECT_TRUE(params.delayed);
  EXPECT_FALSE(params.event_index);
  EXPECT_TRUE(params.notify_always);
  EXPECT_EQ(params.reset_every, 99U);
  EXPECT_EQ(params.outstanding, 7U);
  EXPECT_TRUE(params.sleep);
  EXPECT_EQ(options.repeat, 5U);
  EXPECT_EQ(options.format, Format::kJson);
  EXPECT_THAT(parse("--pin none").settings[0].params.cpus, IsEmpty());
}

TEST(Options, CompareTheRingsInTheirOrder) {
  const Options options = parse(
      "compare slow fast -m mpsc --repeat 20 --max-repeat 40 --max-time 5min --precision 2.5% "
      "--seed 7 --markdown --no-progress");
  ASSERT_EQ(options.command, Command::kCompare) << options.text;
  EXPECT_THAT(names(options), ElementsAre("slow", "fast"));
  EXPECT_EQ(options.rules.least_rounds, 20U);
  EXPECT_EQ(options.rules.most_rounds, 40U);
  EXPECT_EQ(options.rules.most_time, 300 * kSecond);
  EXPECT_DOUBLE_EQ(options.rules.precision, 0.025);
  EXPECT_EQ(options.rules.seed, 7U);
  EXPECT_EQ(options.format, Format::kMarkdown);
  EXPECT_FALSE(options.progress);
  EXPECT_THAT(names(parse("compare all -m mpsc")),
              ElementsAre("fast", "slow", "fast_too", "broken"));
  EXPECT_EQ(parse("compare all").rules.least_rounds, kLeastRounds);
  EXPECT_EQ(parse("compare all --repetitions 500").rules.most_rounds, 500U);
}

TEST(Options, MakeASettingOfEachCombination) {
  const Options options = parse("compare all -m mpsc --producers 2,4 --burst 1,8");
  EXPECT_THAT(labels(options), ElementsAre("2 producers, burst 1", "2 producers, burst 8",
                                           "4 producers, burst 1", "4 producers, burst 8"));
  EXPECT_EQ(options.settings[2].params.producers, 4U);
  EXPECT_EQ(options.settings[2].params.burst, 1U);
  EXPECT_THAT(labels(parse("--producers 1,2")), ElementsAre("1 producer", "2 producers"));
}

TEST(Options, SweepTheCpusThatMayBeUsed) {
  const Options options = parse("--affinity-sweep --producers 2");
  EXPECT_THAT(labels(options), ElementsAre("CPU 0 to CPU 3", "CPU 1 to CPU 3", "CPU 3 to CPU 3"));
  EXPECT_THAT(options.settings[1].params.cpus, ElementsAre(3, 1, 1));
}

TEST(Options, ListEverything) {
  EXPECT_EQ(parse("list").command, Command::kList);
  EXPECT_EQ(parse("list --json").format, Format::kJson);
}

TEST(Options, RememberHowToTypeThemAgain) {
  EXPECT_EQ(parse("-m 2 --pin 0,1").command_line, "ring_bench -m 2 --pin 0,1");
  const std::vector<const char*> argv = {"a/b/ring_bench", "--time-limit", "1 s"};
  EXPECT_EQ(parse_options(3, argv.data(), registry(), config::Cpus::first(1)).command_line,
            "ring_bench --time-limit '1 s'");
}

TEST(WrongOptions, AreExplainedInOneLine) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"-s 1", "-s 1: must be 2 to 10000000"},
      {"-s 10000001", "-s 10000001: must be 2 to 10000000"},
      {"-s many", "-s many: must be a whole number, 2 to 10000000"},
      {"-s 0x10", "-s 0x10: must be a whole number, 2 to 10000000"},
      {"-s -2", "-s -2: must be 2 to 10000000"},
      {"--size 1", "-s 1: must be 2 to 10000000"},
      {"-N 0", "-N 0: must be 1 to 1000000000000"},
      {"-N 1e6", "-N 1e6: must be a whole number, 1 to 1000000000000"},
      {"-N 99999999999999999999999", "-N 99999999999999999999999: must be 1 to 1000000000000"},
      {"-m 3", "-m 3: must be 0 to 2"},
      {"-m mspc", "-m mspc: must be 0 to 2, or simple, spsc or mpsc; did you mean mpsc?"},
      {"-m tcp", "-m tcp: must be 0 to 2, or simple, spsc or mpsc"},
      {"-m spsc", "mode spsc has no ring in this build; ring_bench list shows what there is"},
      {"--ring tow", "mode simple has no ring tow; did you mean two?; ring_bench list shows all"},
      {"--ring fast", "mode simple has no ring fast; ring_bench list shows all"},
      {"--burst 0", "--burst 0: must be 1 to 256"},
      {"--burst 1,257", "--burst 257: must be 1 to 256"},
      {"--burst 1,", "--burst \"\": must be a whole number, 1 to 256"},
      {"--burst 8,8", "--burst 8,8: 8 is named twice"},
      {"--pop 257", "--pop 257: must be 1 to 256"},
      {"--producers 0", "--producers 0: must be 1 to 1024"},
      {"--producers 2,x", "--producers x: must be a whole number, 1 to 1024"},
      {"--pin 2", "--pin 2: must be none or CPUs out of 0-1,3, as in 0,2-3"},
      {"--pin 0-x", "--pin 0-x: must be none or CPUs out of 0-1,3, as in 0,2-3"},
      {"--time-limit 5", "--time-limit 5: must be a time with its unit, 1ms to 1h"},
      {"--time-limit 0s", "--time-limit 0s: must be 1ms to 1h"},
      {"--time-limit 2h", "--time-limit 2h: must be 1ms to 1h"},
      {"--seed -1", "--seed -1: must be 0 to 18446744073709551615"},
      {"--repeat 0", "--repeat 0: must be 1 to 100000"},
      {"--batch 0", "--batch 0: must be 1 to 10000000, or random"},
      {"--batch some", "--batch some: must be a whole number, 1 to 10000000, or random"},
      {"--outstanding 0", "--outstanding 0: must be 1 to 10000000"},
      {"--reset no", "--reset no: must be a whole number, 0 to 18446744073709551615"},
      {"compare one", "compare needs two rings or more"},
      {"compare one two --max-repeat 8", "--max-repeat 8: must be 9 to 100000"},
      {"compare one two --max-time 0s", "--max-time 0s: must be 1ms to 24h"},
      {"compare one two --precision 0", "--precision 0: must be 0.01 to 100 percent"},
      {"compare one two --precision nan", "--precision nan: must be 0.01 to 100 percent"},
      {"comapre one two", "no such command: comapre; did you mean compare?"},
      {"bench", "no such command: bench; the commands are run, compare and list"},
  };
  for (const auto& [line, message] : wrong) {
    const Options options = parse(line);
    EXPECT_EQ(options.command, Command::kExit) << line;
    EXPECT_EQ(options.exit_code, config::kExitUsage) << line;
    EXPECT_EQ(options.text, message) << line;
  }
}

TEST(WrongOptions, OfASizeThatTheModeCannotHaveNameItsRange) {
  Mode mode;
  mode.name = "virtio_test";
  check_size(mode, 100);
  mode.most_buffers = 512;
  check_size(mode, 512);
  for (const std::size_t size : {100, 1024}) {
    try {
      check_size(mode, size);
      ADD_FAILURE() << size << " was taken";
    } catch (const BadOption& error) {
      EXPECT_EQ(error.what(), "-s " + std::to_string(size) +
                                  ": must be a power of two, 2 to 512, in mode virtio_test");
    }
  }
}

// Worded by the parser: they must name what is wrong and where to look.
TEST(WrongOptions, OfTheCommandLineItselfNameTheFlag) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"--frobnicate", "--frobnicate"},
      {"-N", "--count"},
      {"-N 1 -N 2", "--count"},
      {"--json --markdown", "--json"},
      {"--pin 0 --affinity-sweep", "--affinity-sweep"},
      {"compare", "RING"},
      {"list --markdown", "--markdown"},
      {"run one", "one"},
      {"compare one two --ring one", "--ring"},
  };
  for (const auto& [line, name] : wrong) {
    const Options options = parse(line);
    EXPECT_EQ(options.exit_code, config::kExitUsage) << line;
    EXPECT_THAT(options.text, HasSubstr(name)) << line;
    EXPECT_THAT(options.text, HasSubstr("; see ring_bench")) << line;
    EXPECT_EQ(options.text.find('\n'), std::string::npos) << line;
  }
}

TEST(Help, ShowsTheOptionsOfEachCommand) {
  const Options run = parse("--help");
  EXPECT_EQ(run.exit_code, 0);
  for (const char* text : {"--count", "--ring", "--affinity-sweep", "compare  ", "70"}) {
    EXPECT_THAT(run.text, HasSubstr(text));
  }
  EXPECT_THAT(parse("compare --help").text, HasSubstr("--max-time"));
  EXPECT_THAT(parse("list --help").text, HasSubstr("--json"));
}

}  // namespace
}  // namespace qdiscsim::ring_bench
