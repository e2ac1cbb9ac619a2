#include "bench/ring/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "bench/ring/report_table.h"
#include "tests/bench/fake_registry.h"

namespace qdiscsim::ring_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// The file tests/bench/golden/NAME. QDISCSIM_GOLDEN=1 writes it anew; then read the difference.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string{QDISCSIM_GOLDEN_FOLDER} + "/" + name;
  if (std::getenv("QDISCSIM_GOLDEN") != nullptr) std::ofstream{path} << text;
  std::ifstream file{path};
  const std::string expected{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(text, expected) << name;
}

Circumstances somewhere() {
  Circumstances at;
  at.date = "2026-01-31 13:37:00 UTC";
  at.machine.cpu = "Example 9000 @ 2.00GHz";
  at.machine.online = at.machine.allowed = 2;
  at.machine.cores = 2;
  at.machine.virtualised = true;
  at.machine.memory_bytes = 8ULL << 30U;
  at.machine.kernel = "Linux 6.18.0 x86_64";
  at.machine.governor = "performance";
  at.machine.vulnerabilities = {{"spectre_v1", "Mitigation: barriers"}};
  at.machine.vulnerabilities_known = true;
  at.build = {"0123456789ab", "gcc 12.2.0", "RelWithDebInfo -O3 -g1"};
  at.before.average = 0.1;
  at.after.average = 1.9;
  at.disturbance = {0.004, 0.0};
  at.counters_missing = "this machine has none (No such file or directory)";
  return at;
}

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() : registry_{test::fake_registry()} {
    options_.command = Command::kCompare;
    options_.command_line = "ring_bench compare fast slow fast_too -m mpsc";
    options_.mode = &registry_.modes()[2];
    for (std::size_t i = 0; i < 3; ++i) options_.variants.push_back(&options_.mode->variants[i]);
    options_.settings = {{"", Params{}}};
  }

  Block block(const Setting& setting, bool counted = false) {
    std::vector<Contender> contenders;
    for (const Variant* variant : options_.variants) {
      contenders.push_back({variant->name, [variant, counted] {
                              ring_bench::Run run{variant->run(Params{}), {}};
                              if (counted) run.counts = Counts{4e6, 8e6, 2e6, 2e4};
                              return run;
                            }});
    }
    Hooks hooks;
    hooks.now = [this] { return now_ += 10 * kMillisecond; };
    Block result{setting, measure(contenders, options_.rules, hooks), {}};
    result.judged = judge(result.measured);
    return result;
  }

  Registry registry_;
  Options options_;
  Nanoseconds now_ = 0;
};

TEST_F(ReportTest, ReadsWellOnATerminal) {
  expect_golden("compare.txt", report_text(options_, somewhere(), {block(options_.settings[0])}));
}

TEST_F(ReportTest, CanBePastedIntoACommitMessage) {
  options_.format = Format::kMarkdown;
  const std::string text = report_text(options_, somewhere(), {block(options_.settings[0], true)});
  expect_golden("compare_markdown.txt", text);
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 106U) << line;
    EXPECT_FALSE(line.starts_with('#')) << "git drops such a line: " << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST_F(ReportTest, HasATableForEachSetting) {
  Params four;
  four.producers = 4;
  options_.settings = {{"2 producers", Params{}}, {"4 producers", four}};
  const std::string text = report_text(options_, somewhere(),
                                       {block(options_.settings[0]), block(options_.settings[1])});
  EXPECT_THAT(text, HasSubstr("\n4 producers: 9 rounds in "));
  EXPECT_EQ(text.find("2 producers: 9 rounds in "), 0U) << "no warning comes before it";
  EXPECT_THAT(text, HasSubstr("workload: mode mpsc: 2,000,000 items, capacity 1024, burst 1, "));
}

TEST_F(ReportTest, KeepsEveryValueInJson) {
  const auto json = report_json(options_, somewhere(), {block(options_.settings[0], true)});
  const auto& setting = json["settings"][0];
  EXPECT_EQ(json["machine"]["commit"], "0123456789ab");
  EXPECT_EQ(setting["rounds"], 9);
  ASSERT_EQ(setting["rings"].size(), 3U);
  EXPECT_EQ(setting["rings"][1]["name"], "slow");
  EXPECT_EQ(setting["rings"][1]["verdict"], "slower");
  ASSERT_EQ(setting["rings"][1]["runs"].size(), 9U);
  const auto& run = setting["rings"][1]["runs"][8];
  EXPECT_EQ(run["items"], 2'000'000);
  EXPECT_EQ(run["longest_stall_ns"], 250'000);
  EXPECT_EQ(run["figures"]["dropped Mpps"], 0.33);
  EXPECT_EQ(run["instructions"], 8e6);
  EXPECT_EQ(setting["control"]["runs"].size(), 9U);
  EXPECT_FALSE(setting["rings"][0].contains("ratio"));
}

TEST_F(ReportTest, HasNoIntervalInJsonWhenThereIsNone) {
  options_.rules.least_rounds = options_.rules.most_rounds = 2;
  const auto json = report_json(options_, somewhere(), {block(options_.settings[0])});
  const std::string text = json.dump();
  EXPECT_THAT(text, HasSubstr("\"interval\":[null,null]"));
  EXPECT_EQ(json["warnings"][0], "fewer than 9 rounds: no verdict, and no figure to quote");
}

TEST_F(ReportTest, WarnsOfWhatMakesFiguresWorthless) {
  Block bad = block({"4 producers", Params{}});
  EXPECT_THAT(warnings(somewhere(), {bad}), IsEmpty());
  bad.judged.noisy = true;
  bad.judged.few = true;
  bad.judged.control.ratio = 1.034;
  bad.judged.control.p = 0.012;
  bad.measured.stopped = true;
  bad.measured.series[1].error = "an item was lost";
  Circumstances at = somewhere();
  at.disturbance = {0.123, 0.011};
  EXPECT_THAT(
      warnings(at, {bad}),
      ElementsAre("4 producers: the A/A control shows a difference (ratio 1.034, p 0.012): this "
                  "machine is not quiet enough for these figures",
                  "4 producers: fewer than 9 rounds: no verdict, and no figure to quote",
                  "4 producers: slow failed: an item was lost",
                  "4 producers: interrupted; what was known by then is shown",
                  "other processes used 12.3 % of the CPU time: repeat this on an idle machine",
                  "the hypervisor gave 1.1 % of the CPU time to others"));
}

TEST_F(ReportTest, SaysWhereTheThreadsSit) {
  EXPECT_EQ(describe_pinning(options_), "unpinned");
  options_.settings[0].params.cpus = {1, 0};
  EXPECT_EQ(describe_pinning(options_), "thread by thread to CPU 1, 0, the consumer first");
  options_.affinity_sweep = true;
  EXPECT_EQ(describe_pinning(options_), "consumer on CPU 1, producers on each CPU in turn");
}

TEST_F(ReportTest, DescribesWhatConcernsTheMode) {
  EXPECT_EQ(describe_workload(options_),
            "mode mpsc: 2,000,000 items, capacity 1024, 2 producers, burst 1, pop 32");
  options_.mode = registry_.modes().data();
  EXPECT_EQ(describe_workload(options_),
            "mode simple: 2,000,000 items, capacity 1024, burst 1, pop 32");
  Registry virtio;
  virtio.mode("virtio_test");
  options_.mode = virtio.modes().data();
  Params& params = options_.settings[0].params;
  params.batch = 0;
  params.delayed = params.notify_always = true;
  params.reset_every = 5;
  EXPECT_EQ(describe_workload(options_),
            "mode virtio_test: 2,000,000 items, capacity 1024, burst 1, pop 32, random batches, "
            "delayed interrupts, event index, notifications toggled always, reset every 5");
  Registry ringtest;
  ringtest.mode("ringtest");
  options_.mode = ringtest.modes().data();
  params.outstanding = 64;
  params.sleep = true;
  EXPECT_EQ(describe_workload(options_),
            "mode ringtest: 2,000,000 items, capacity 1024, burst 1, pop 32, random batches, "
            "64 outstanding, sleeping");
}

TEST_F(ReportTest, HasALineForARun) {
  const Variant& variant = options_.mode->variants[0];
  const Setting setting{"4 producers", Params{}};
  EXPECT_EQ(single_line(options_, {&setting, &variant, {variant.run(Params{}), {}}}),
            "mpsc fast (4 producers): 100.0 M items/s, 2,000,000 items in 0.020000 s, "
            "dropped Mpps 0.330, longest stall us 250.0\n");
}

TEST_F(ReportTest, PutsRunsIntoATable) {
  const Variant& variant = options_.mode->variants[0];
  const std::vector<Single> singles = {
      {options_.settings.data(), &variant, {variant.run(Params{}), {}}}};
  EXPECT_EQ(singles_markdown(options_, singles),
            "mode mpsc: 2,000,000 items, capacity 1024, 2 producers, burst 1, pop 32, unpinned\n\n"
            "| ring | setting | M items/s | dropped Mpps | longest stall us |\n"
            "|------|---------|----------:|-------------:|-----------------:|\n"
            "| fast |         |     100.0 |        0.330 |            250.0 |\n");
}

TEST_F(ReportTest, ListsModesAndRings) {
  EXPECT_EQ(list_text(registry_),
            "0  simple: one thread\n"
            "     one  runs at 50\n"
            "     two  runs at 60\n\n"
            "1  spsc: two threads\n"
            "     (nothing in this build)\n\n"
            "2  mpsc: many producers\n"
            "     fast      runs at 100\n"
            "     slow      runs at 50\n"
            "     fast_too  runs at 100\n"
            "     broken    loses items\n");
  EXPECT_EQ(list_json(registry_)["modes"][0]["rings"][1]["name"], "two");
  EXPECT_EQ(list_json(registry_)["modes"][2]["number"], 2);
  registry_.missing = {"ck (Debian: libck-dev)"};
  EXPECT_THAT(list_text(registry_),
              EndsWith("items\n\nNot in this build:\n     ck (Debian: libck-dev)\n"));
  EXPECT_EQ(list_json(registry_)["missing"][0], "ck (Debian: libck-dev)");
}

TEST(FurtherFigures, CountForEachItem) {
  ring_bench::Run run;
  run.outcome.items = 4;
  run.counts = Counts{40, 80, 20, 1};
  EXPECT_THAT(further_figures(run),
              ElementsAre(Pair("cycles/item", 10), Pair("instr./item", 20),
                          Pair("branches/item", 5), Pair("misses/item", 0.25)));
}

TEST(Figure, HasAboutFourDigitsAndNoExponent) {
  const std::vector<std::pair<double, std::string>> cases = {
      {0, "0"},         {1.0421, "1.042"},  {12.345, "12.35"},      {99.96, "100.0"},
      {999.6, "1000"},  {9999.6, "10,000"}, {1234567, "1,234,567"}, {0.0001, "<0.001"},
      {-1.5, "-1.500"}, {1.0 / 0.0, "-"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(figure(value), text);
}

TEST(Wrap, BreaksAtBlanksOnly) {
  EXPECT_EQ(wrap("a bb ccc dddddddddddd e", 6, "  "), "a bb\n  ccc\n  dddddddddddd\n  e\n");
}

}  // namespace
}  // namespace qdiscsim::ring_bench
