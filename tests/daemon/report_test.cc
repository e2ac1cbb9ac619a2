#include "daemon/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "qdisc/drop_reason.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> words(const std::string& line) {
  std::istringstream in{line};
  return {std::istream_iterator<std::string>{in}, {}};
}

// The first line of the text that begins with these words.
std::vector<std::string> line_of(const std::string& text, std::vector<std::string> start) {
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    const auto found = words(line);
    if (found.size() > start.size() && std::equal(start.begin(), start.end(), found.begin())) {
      return found;
    }
  }
  return {};
}

TEST(Report, ShowsEveryBandInOneLine) {
  const Report report = make_report(sample_snapshot(), 5 * kSecond);
  EXPECT_THAT(report.text, HasSubstr("Final report after 5 s\n"));
  EXPECT_THAT(
      line_of(report.text, {"eth0", "0", "2"}),
      ElementsAre("eth0", "0", "2", "914", "102", "702", "602", "100", "10", "2", "9", "100"));
}

TEST(Report, ShowsTheKernelsResultLineOfEachGenerator) {
  const Report report = make_report(sample_snapshot(), kSecond);
  EXPECT_THAT(report.text, HasSubstr("  gen/0 on eth0: offered 2,571, sent 2,403, errors 165"));
  EXPECT_THAT(report.text, HasSubstr("\n    Result: OK: 2000(c1990+d10) usec, 2403"));
  Snapshot idle = sample_snapshot();
  idle.generators[0].result.clear();
  EXPECT_THAT(make_report(idle, kSecond).text, HasSubstr("Result: NA"));
}

TEST(Report, SaysWhatReachedTheGuestAndWhatTunDropped) {
  Snapshot s = sample_snapshot();
  s.devices[0].queues[0].vhost->guest_packets = 9'000'000;
  s.devices[0].queues[0].tx_dropped_packets = 1'150'000;
  EXPECT_THAT(
      make_report(s, 5 * kSecond).text,
      HasSubstr("  eth0: to the guest: xmit 1.800 Mpps, dropped 0.230 Mpps, total 2.030 Mpps\n"));
  s.devices[0].queues[0].vhost.reset();
  EXPECT_THAT(make_report(s, 5 * kSecond).text, Not(HasSubstr("guest")));
}

TEST(Report, SaysWhatIsInACaptureAndWhyItEnded) {
  Snapshot s = sample_snapshot();
  EXPECT_THAT(make_report(s, kSecond).text,
              HasSubstr("  eth0: captured 1,750 packets in /tmp/eth0.pcapng, missed 41\n"));
  s.devices[0].capture->error = "No space left on device";
  EXPECT_THAT(make_report(s, kSecond).text,
              HasSubstr("missed 41; ended by an error: No space left on device\n"));
  s.devices[0].capture.reset();
  EXPECT_THAT(make_report(s, kSecond).text, Not(HasSubstr("captured")));
}

TEST(Report, NamesTheDropReasonOfTheKernelThatIsModelled) {
  Snapshot s = sample_snapshot();
  s.full_band_drop_reason = full_band_drop_reason(KernelVersion::k6_1);
  EXPECT_THAT(make_report(s, kSecond).text,
              HasSubstr("  dropped overlimit: QDISC_DROP in the kernel's drop reasons\n"));
  s.full_band_drop_reason = full_band_drop_reason(KernelVersion::k6_18);
  EXPECT_THAT(make_report(s, kSecond).text, HasSubstr("dropped overlimit: QDISC_OVERLIMIT"));
  for (BandSnapshot& band : s.devices[0].queues[0].bands) band.dropped_overlimit = 0;
  EXPECT_THAT(make_report(s, kSecond).text, Not(HasSubstr("drop reasons")));
}

TEST(Report, ShowsThePagePoolStatistics) {
  const Report report = make_report(sample_snapshot(), kSecond);
  EXPECT_THAT(line_of(report.text, {"gen/0", "2,300"}),
              ElementsAre("gen/0", "2,300", "70", "1", "71", "32", "5"));
  EXPECT_THAT(line_of(report.text, {"gen/0", "1,900"}),
              ElementsAre("gen/0", "1,900", "11", "400", "13", "6"));
}

TEST(Report, StatesTheLawWithItsNumbers) {
  const Report report = make_report(sample_snapshot(), kSecond);
  EXPECT_TRUE(report.exact);
  EXPECT_THAT(report.text,
              HasSubstr("offered 2,571 = bypassed 303 + enqueued 2,103 + dropped 165"));
  EXPECT_THAT(report.text, HasSubstr("enqueued 701 = dequeued 601 + backlog 100"));
  EXPECT_THAT(report.text, HasSubstr("hold 1,120 = release 24 + in flight 1,096"));
  EXPECT_TRUE(report.text.ends_with("\naccounts: exact\n"));
  EXPECT_THAT(report.text, Not(HasSubstr("WRONG")));
}

TEST(Report, FindsEveryAccountThatIsOffByOne) {
  const auto spoil = [](auto change) {
    Snapshot s = sample_snapshot();
    change(s);
    return make_report(s, kSecond).exact;
  };
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.devices[0].queues[0].offered_packets; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.devices[0].queues[0].bands[0].bypassed_packets; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.devices[0].queues[0].bands[1].dropped_overlimit; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.devices[0].queues[0].bands[1].dropped_deactivated; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { --s.devices[0].queues[0].bands[2].dequeued_packets; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.devices[0].queues[0].bands[2].backlog_packets; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.pools[0].hold; }));
  EXPECT_FALSE(spoil([](Snapshot& s) { ++s.account_violations; }));
}

TEST(Report, NamesThePagesThatDidNotComeHomeAsTheKernelWould) {
  Snapshot s = sample_snapshot();
  PoolSnapshot& pool = s.pools[0];
  EXPECT_THAT(pages_out(s), ElementsAre("gen/0: page_pool_release_retry() stalled pool shutdown: "
                                        "id 1, 732 inflight 0 sec"));
  pool.leaked_pages = 700;
  pool.detached_at = s.taken_at - 8 * kSecond;
  const std::string line =
      "gen/0: page_pool_release_retry() stalled pool shutdown: id 1, 732 inflight 8 sec; "
      "generators[].leak keeps 700 of its pages";
  EXPECT_THAT(pages_out(s), ElementsAre(line));
  EXPECT_THAT(make_report(s, kSecond).text,
              HasSubstr("\nPages that did not come home\n  " + line + "\n\nAccounts\n"));
  EXPECT_TRUE(make_report(s, kSecond).exact) << "a leak that was asked for is no bug";

  s.kernel = KernelVersion::k6_1;
  pool.leaked_pages = 0;
  EXPECT_THAT(pages_out(s), ElementsAre("gen/0: page_pool_release_retry() stalled pool shutdown "
                                        "732 inflight 8 sec"));
  pool.cache_pages = pool.inflight_pages - pool.ring_pages;
  EXPECT_THAT(pages_out(s), ElementsAre());
  EXPECT_THAT(make_report(s, kSecond).text, Not(HasSubstr("did not come home")));
}

TEST(Report, SaysThatBrokenAccountsAreABug) {
  Snapshot s = sample_snapshot();
  ++s.pools[0].release;
  const Report report = make_report(s, kSecond);
  EXPECT_THAT(report.text, HasSubstr("WRONG\naccounts: WRONG: this is a bug in qdiscsim\n"));
}

}  // namespace
}  // namespace qdiscsim
