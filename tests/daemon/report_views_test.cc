// The report and the generators of a daemon that runs, as JSON, Markdown and text.
#include "daemon/report_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "daemon/generator_view.h"
#include "daemon/report_file.h"
#include "tests/daemon/sample_snapshot.h"
#include "text/text_table.h"

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

nlohmann::json report_of(const Snapshot& snapshot) {
  return nlohmann::json::parse(report_json(snapshot, 2 * kSecond));
}

TEST(ReportViews, PutEachNumberWhereItBelongs) {
  const nlohmann::json report = report_of(sample_snapshot());
  EXPECT_EQ(report["elapsed_seconds"], 2);
  const auto& device = report["devices"][0];
  EXPECT_EQ(device["name"], "eth0");
  EXPECT_EQ(device["up"], true);
  EXPECT_EQ(device["capture"]["missed_packets"], 41);
  EXPECT_EQ(device["queues"][0]["sent_packets"], 1800);
  EXPECT_EQ(device["queues"][0]["mean_pps"], 900);
  EXPECT_EQ(device["queues"][0]["guest_packets"], 1790);
  const auto& band = device["queues"][0]["bands"][2];
  EXPECT_EQ(band["offered_packets"], 914);
  EXPECT_EQ(band["bypassed_packets"], 102);
  EXPECT_EQ(band["drops"]["overlimit"], 100);
  EXPECT_EQ(band["drops"]["deactivated"], 10);
  EXPECT_EQ(report["generators"][0]["sent_packets"], 2403);
  EXPECT_EQ(report["generators"][0]["latency_seconds"]["count"], 3);
  EXPECT_EQ(report["generators"][0]["latency_seconds"]["p99"], 5e-6);
  EXPECT_EQ(report["page_pools"][0]["alloc"]["refill"], 32);
  EXPECT_EQ(report["page_pools"][0]["recycle"]["ring_full"], 13);
}

TEST(ReportViews, SayThatTheyAreReadingsAmongRunningThreads) {
  Snapshot s = sample_snapshot();
  EXPECT_THAT(report_markdown(s, kSecond), HasSubstr("a reading among running threads"));
  EXPECT_THAT(report_markdown(s, kSecond), Not(HasSubstr("did not come home")));
  EXPECT_EQ(report_of(s)["running"], true);
  s.quiescent = true;
  EXPECT_THAT(report_markdown(s, kSecond), HasSubstr("at rest"));
  EXPECT_THAT(report_markdown(s, kSecond), HasSubstr("\n## Pages that did not come home\n\n- gen"));
  EXPECT_EQ(report_of(s)["running"], false);
}

TEST(ReportViews, DoNotCallPacketsInMotionABug) {
  Snapshot s = sample_snapshot();
  EXPECT_EQ(report_of(s)["accounts"]["exact"], true);
  ++s.devices[0].queues[0].offered_packets;
  const auto accounts = report_of(s)["accounts"];
  EXPECT_EQ(accounts["exact"], false);
  EXPECT_EQ(accounts["failed_checks"], 0);
  EXPECT_EQ(accounts["lines"][0]["where"], "eth0 queue 0");
  EXPECT_EQ(accounts["lines"][0]["exact"], false);
  EXPECT_THAT(report_markdown(s, kSecond), HasSubstr("| packets in motion |\n"));
  EXPECT_THAT(report_markdown(s, kSecond),
              HasSubstr("\n4 of 5 accounts are exact in this reading; 0 checks failed since"));
  s.quiescent = true;
  EXPECT_THAT(report_markdown(s, kSecond), HasSubstr("| WRONG |\n"));
}

TEST(ReportViews, AreTablesAndListsInMarkdown) {
  Snapshot s = sample_snapshot();
  s.devices[0].up = false;
  const std::string text = report_markdown(s, 5 * kSecond);
  EXPECT_TRUE(text.starts_with("# Report after 5 s\n\n"));
  EXPECT_THAT(text, HasSubstr("\n## Packets by band\n\n| device | queue | band | offered |"));
  EXPECT_THAT(text, HasSubstr("\n## Latency of sampled packets\n\n| what | timed | mean |"));
  EXPECT_THAT(text, HasSubstr("\n| --- | ---: | ---: |"));
  EXPECT_THAT(text, HasSubstr("\n| eth0 | 0 | 2 | 914 | 102 | 702 |"));
  EXPECT_THAT(text, HasSubstr("|\n\n- eth0: the device is down\n- eth0: to the guest:"));
  EXPECT_THAT(text, HasSubstr("behind  \n  Result: OK: 2000(c1990+d10) usec, 2403 "
                              "(60byte,0frags)  \n  1201500pps"));
}

TEST(ReportViews, KeepATableWholeWhateverANameHolds) {
  TextTable table{{"a", "b"}, 1};
  table.add({"x|y\nz", "1"});
  EXPECT_EQ(table.markdown(), "| a | b |\n| --- | ---: |\n| x\\|y z | 1 |\n");
}

TEST(GeneratorView, ShowsEachGeneratorWithTheKernelsResult) {
  Snapshot s = sample_snapshot();
  const auto first = nlohmann::json::parse(generators_json(s))["generators"][0];
  EXPECT_EQ(first["group"], "gen");
  EXPECT_EQ(first["thread"], "0");
  EXPECT_EQ(first["device"], "eth0");
  EXPECT_EQ(first["cpu"], 3);
  EXPECT_EQ(first["running"], true);
  EXPECT_EQ(first["offered_packets"], s.generators[0].offered_packets);
  EXPECT_EQ(first["errors"], 165);
  EXPECT_EQ(first["configured_pps"], 1'000'000);
  EXPECT_EQ(first["result"], s.generators[0].result);
  EXPECT_THAT(generators_text(s),
              HasSubstr("gen/0 on eth0\nResult: OK: 2000(c1990+d10) usec, 2403 (60byte,0frags)\n  "
                        "1201500pps 576Mb/sec (576720000bps) errors: 165\n"));
}

TEST(GeneratorView, IsNullWhereThereIsNothingToSay) {
  Snapshot s = sample_snapshot();
  s.generators[0].cpu = -1;
  s.generators[0].configured_pps = 0;
  s.generators[0].result.clear();
  const auto first = nlohmann::json::parse(generators_json(s))["generators"][0];
  EXPECT_TRUE(first["cpu"].is_null());
  EXPECT_TRUE(first["configured_pps"].is_null());
  EXPECT_TRUE(first["result"].is_null());
  EXPECT_EQ(generators_text(s), "gen/0 on eth0\nResult: Idle\n");
}

TEST(ReportFile, IsMarkdownWhenItsNameEndsSo) {
  const std::string path =
      ::testing::TempDir() + "/qdiscsim-report-" + std::to_string(getpid()) + ".md";
  ReportFile{path}.write(sample_snapshot(), kSecond);
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(text, report_markdown(sample_snapshot(), kSecond));
  std::filesystem::remove(path);
}

TEST(ReportFile, SaysBeforeTheRunThatTheFileCannotBeHad) {
  try {
    ReportFile{"/nowhere/a.json"};
    FAIL() << "it was opened";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), StartsWith("--report /nowhere/a.json: the file cannot be opened: "));
  }
}

}  // namespace
}  // namespace qdiscsim
