#include "daemon/metrics_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/check_names.h>

#include <set>
#include <sstream>

#include "daemon/metrics_catalogue.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MetricsCollectorTest : public ::testing::Test {
 protected:
  FakeSource source_;
  DaemonState state_;
  RateWindow rates_;
  MetricsCollector collector_{source_, state_, rates_};

  // The value after "SERIES " at the start of a line; fails when there is none.
  std::string value_of(const std::string& series) {
    std::istringstream text{collector_.scrape()};
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
    }
    ADD_FAILURE() << "no series " << series;
    return {};
  }
};

TEST_F(MetricsCollectorTest, ShowsEveryEntryOfTheCatalogueInItsOrderWithItsTypeAndHelp) {
  const auto families = collector_.Collect();
  ASSERT_EQ(families.size(), kMetrics.size());
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    EXPECT_EQ(families[i].name, kMetrics[i].name);
    EXPECT_EQ(families[i].type, kMetrics[i].type) << kMetrics[i].name;
    EXPECT_EQ(families[i].help, kMetrics[i].help) << kMetrics[i].name;
    EXPECT_FALSE(families[i].metric.empty()) << kMetrics[i].name << " has no series";
  }
}

TEST_F(MetricsCollectorTest, GivesEverySeriesTheLabelsThatTheCatalogueNames) {
  const auto families = collector_.Collect();
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    std::string expected{scope_labels(kMetrics[i].scope)};
    // "reason: overlimit, deactivated" names one label, "version, compiler" two.
    const std::string_view extra = kMetrics[i].extra_labels;
    const std::string_view names = extra.substr(0, extra.find(':'));
    if (!names.empty()) expected += (expected.empty() ? "" : ", ") + std::string{names};
    for (const auto& metric : families[i].metric) {
      std::string labels;
      for (const auto& label : metric.label) {
        EXPECT_TRUE(prometheus::CheckLabelName(label.name)) << label.name;
        labels += (labels.empty() ? "" : ", ") + label.name;
      }
      EXPECT_EQ(labels, expected) << kMetrics[i].name;
    }
  }
}

TEST_F(MetricsCollectorTest, ShowsNoSeriesTwice) {
  std::istringstream text{collector_.scrape()};
  std::set<std::string> seen;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("#")) continue;
    EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << line;
  }
  EXPECT_GT(seen.size(), 100U);
}

TEST_F(MetricsCollectorTest, PutsEachNumberWhereItBelongs) {
  const std::string gen = "{generator=\"gen\",thread=\"0\",device=\"eth0\"}";
  EXPECT_EQ(value_of("qdiscsim_generator_sent_packets_total" + gen), "2403");
  EXPECT_EQ(value_of("qdiscsim_generator_errors_total" + gen), "165");
  EXPECT_EQ(value_of("qdiscsim_generator_running" + gen), "1");
  const std::string band = "{device=\"eth0\",queue=\"0\",band=\"2\"";
  EXPECT_EQ(value_of("qdiscsim_qdisc_enqueued_packets_total" + band + "}"), "702");
  EXPECT_EQ(value_of("qdiscsim_qdisc_dequeued_packets_total" + band + "}"), "602");
  EXPECT_EQ(value_of("qdiscsim_qdisc_bypassed_packets_total" + band + "}"), "102");
  EXPECT_EQ(value_of("qdiscsim_qdisc_drops_total" + band + ",reason=\"overlimit\"}"), "100");
  EXPECT_EQ(value_of("qdiscsim_qdisc_drops_total" + band + ",reason=\"deactivated\"}"), "10");
  EXPECT_EQ(value_of("qdiscsim_qdisc_overlimits_total" + band + "}"), "0");
  const std::string queue = "{device=\"eth0\",queue=\"0\"}";
  EXPECT_EQ(value_of("qdiscsim_device_tx_packets_total" + queue), "1800");
  EXPECT_EQ(value_of("qdiscsim_queue_direct_packets_total" + queue), "31");
  EXPECT_EQ(value_of("qdiscsim_device_stopped_seconds_total" + queue), "1.5");
  EXPECT_EQ(value_of("qdiscsim_device_trans_timeout_total" + queue), "2");
  EXPECT_EQ(value_of("qdiscsim_queue_stuck_seconds" + queue), "2.5");
  EXPECT_EQ(value_of("qdiscsim_device_guest_packets_total" + queue), "1790");
  EXPECT_EQ(value_of("qdiscsim_device_guest_signals_total" + queue), "21");
  const std::string waits = "qdiscsim_device_vhost_waits_total{device=\"eth0\",queue=\"0\",reason=";
  EXPECT_EQ(value_of(waits + "\"no_packet\"}"), "22");
  EXPECT_EQ(value_of(waits + "\"no_buffer\"}"), "23");
  EXPECT_EQ(value_of("qdiscsim_ring_occupancy{ring=\"eth0/0/tun\"}"), "64");
  EXPECT_EQ(value_of("qdiscsim_ring_capacity{ring=\"eth0/0/tun\"}"), "500");
  EXPECT_EQ(value_of("qdiscsim_device_received_packets_total{device=\"eth0\"}"), "17");
  EXPECT_EQ(value_of("qdiscsim_device_up{device=\"eth0\"}"), "1");
  EXPECT_EQ(value_of("qdiscsim_page_pool_alloc_total{pool=\"gen/0\",path=\"refill\"}"), "32");
  EXPECT_EQ(value_of("qdiscsim_page_pool_recycle_total{pool=\"gen/0\",path=\"ring_full\"}"), "13");
  EXPECT_EQ(value_of("qdiscsim_ring_occupancy{ring=\"pool gen/0\"}"), "300");
  EXPECT_EQ(value_of("qdiscsim_ring_capacity{ring=\"eth0/0/band0\"}"), "1000");
  EXPECT_EQ(value_of("qdiscsim_arena_free_pages"), "3000");
  EXPECT_EQ(value_of("qdiscsim_account_violations_total"), "0");
}

TEST_F(MetricsCollectorTest, ShowsACaptureWhereThereIsOne) {
  const std::string device = "{device=\"eth0\"}";
  EXPECT_EQ(value_of("qdiscsim_capture_packets_total" + device), "1750");
  EXPECT_EQ(value_of("qdiscsim_capture_bytes_total" + device), "200000");
  EXPECT_EQ(value_of("qdiscsim_capture_missed_packets_total" + device), "41");
  EXPECT_EQ(value_of("qdiscsim_capture_running" + device), "1");
  EXPECT_EQ(value_of("qdiscsim_capture_failed" + device), "0");
  source_.value.devices[0].capture->running = false;
  source_.value.devices[0].capture->error = "No space left on device";
  EXPECT_EQ(value_of("qdiscsim_capture_running" + device), "0");
  EXPECT_EQ(value_of("qdiscsim_capture_failed" + device), "1");
  source_.value.devices[0].capture.reset();
  EXPECT_THAT(collector_.scrape(), Not(HasSubstr("qdiscsim_capture_packets_total{")));
}

TEST_F(MetricsCollectorTest, ShowsHowLongThePoolOfAGeneratorThatWentHasWaitedForItsPages) {
  const std::string series = "qdiscsim_page_pool_teardown_seconds{pool=\"gen/0\"}";
  PoolSnapshot& pool = source_.value.pools[0];
  pool.leaked_pages = 7;
  EXPECT_EQ(value_of("qdiscsim_page_pool_leaked_pages{pool=\"gen/0\"}"), "7");
  EXPECT_EQ(value_of(series), "0");
  pool.detached_at = source_.value.taken_at - 2 * kSecond;
  EXPECT_EQ(value_of(series), "2");
  pool.freed = true;
  EXPECT_EQ(value_of(series), "0");
}

TEST_F(MetricsCollectorTest, ShowsADeviceThatIsDown) {
  source_.value.devices[0].up = false;
  EXPECT_EQ(value_of("qdiscsim_device_up{device=\"eth0\"}"), "0");
}

TEST_F(MetricsCollectorTest, ShowsNoGuestWhereThereIsNone) {
  source_.value.devices[0].queues[0].vhost.reset();
  const std::string text = collector_.scrape();
  EXPECT_THAT(text, Not(HasSubstr("qdiscsim_device_guest_packets_total{")));
  EXPECT_THAT(text, Not(HasSubstr("ring=\"eth0/0/tun\"")));
}

TEST_F(MetricsCollectorTest, WritesHistogramBucketsCumulativelyAndInSeconds) {
  const std::string text = collector_.scrape();
  const std::string series = "qdiscsim_qdisc_sojourn_seconds";
  const std::string band = "{device=\"eth0\",queue=\"0\",band=\"1\"";
  EXPECT_THAT(text, HasSubstr(series + "_bucket" + band + ",le=\"1.024e-06\"} 4\n"));
  EXPECT_THAT(text, HasSubstr(series + "_bucket" + band + ",le=\"0.000131072\"} 6\n"));
  EXPECT_THAT(text, HasSubstr(series + "_bucket" + band + ",le=\"1.073741824\"} 6\n"));
  EXPECT_THAT(text, HasSubstr(series + "_bucket" + band + ",le=\"+Inf\"} 7\n"));
  EXPECT_THAT(text, HasSubstr(series + "_count" + band + "} 7\n"));
  EXPECT_THAT(text, HasSubstr(series + "_sum" + band + "} 2.000024\n"));
  const std::string thread = "{generator=\"gen\",thread=\"0\",device=\"eth0\"";
  const std::string latency = "qdiscsim_generator_latency_seconds";
  EXPECT_THAT(text, HasSubstr(latency + "_bucket" + thread + ",le=\"4.096e-06\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(latency + "_bucket" + thread + ",le=\"1.6384e-05\"} 3\n"));
  EXPECT_THAT(text, HasSubstr(latency + "_sum" + thread + "} 1.5e-05\n"));
}

TEST_F(MetricsCollectorTest, ShowsZerosForCountersThatNeverMoved) {
  source_.value.devices[0].queues[0].bands[0] = BandSnapshot{};
  EXPECT_EQ(value_of("qdiscsim_qdisc_packets_total{device=\"eth0\",queue=\"0\",band=\"0\"}"), "0");
}

TEST_F(MetricsCollectorTest, CountsScrapesAndTimesThePreviousOne) {
  EXPECT_EQ(value_of("qdiscsim_scrapes_total"), "1");
  EXPECT_EQ(value_of("qdiscsim_scrapes_total"), "2");
  EXPECT_GT(std::stod(value_of("qdiscsim_scrape_duration_seconds")), 0);
}

TEST_F(MetricsCollectorTest, TellsHowTheLastReloadEnded) {
  state_.started(1000, kSecond);
  EXPECT_EQ(value_of("qdiscsim_config_last_reload_successful"), "1");
  EXPECT_EQ(value_of("qdiscsim_config_last_reload_success_timestamp_seconds"), "1000");
  state_.reload_failed();
  EXPECT_EQ(value_of("qdiscsim_config_last_reload_successful"), "0");
  EXPECT_EQ(value_of("qdiscsim_config_reloads_total{result=\"failure\"}"), "1");
  EXPECT_EQ(value_of("qdiscsim_config_last_reload_success_timestamp_seconds"), "1000");
  state_.reload_succeeded(2000);
  EXPECT_EQ(value_of("qdiscsim_config_last_reload_successful"), "1");
  EXPECT_EQ(value_of("qdiscsim_config_reloads_total{result=\"success\"}"), "1");
  EXPECT_EQ(value_of("qdiscsim_config_last_reload_success_timestamp_seconds"), "2000");
}

TEST_F(MetricsCollectorTest, MakesThroughputAndDropRatioFromTheHistory) {
  EXPECT_EQ(value_of("qdiscsim_throughput_mpps{device=\"eth0\"}"), "0");
  Snapshot s = source_.value;
  rates_.push(s);
  s.taken_at += kSecond;
  s.devices[0].queues[0].tx_packets += 1'500'000;
  s.devices[0].queues[0].offered_packets += 2'000'000;
  s.devices[0].queues[0].bands[1].dropped_overlimit += 500'000;
  rates_.push(s);
  EXPECT_EQ(value_of("qdiscsim_throughput_mpps{device=\"eth0\"}"), "1.5");
  EXPECT_EQ(value_of("qdiscsim_drop_ratio{device=\"eth0\"}"), "0.25");
}

TEST_F(MetricsCollectorTest, ShowsTheProcess) {
  EXPECT_GT(std::stod(value_of("process_resident_memory_bytes")), 1e6);
  EXPECT_GT(std::stod(value_of("process_virtual_memory_bytes")), 1e6);
  EXPECT_GT(std::stod(value_of("process_open_fds")), 2);
  EXPECT_GT(std::stod(value_of("process_max_fds")), 2);
  EXPECT_GT(std::stod(value_of("process_start_time_seconds")), 1.5e9);
  EXPECT_GT(std::stod(value_of("process_cpu_seconds_total")), 0);
}

TEST_F(MetricsCollectorTest, WritesOnlyValidLines) {
  const std::string text = collector_.scrape();
  ASSERT_TRUE(text.ends_with('\n'));
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) continue;
    const auto space = line.rfind(' ');
    ASSERT_NE(space, std::string::npos) << line;
    std::size_t used = 0;
    EXPECT_NO_THROW(std::stod(line.substr(space + 1), &used)) << line;
    EXPECT_EQ(used, line.size() - space - 1) << line;
  }
}

}  // namespace
}  // namespace qdiscsim
