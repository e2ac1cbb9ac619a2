#include "daemon/http_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;

class HttpRoutesTest : public ::testing::Test {
 protected:
  FakeSource source_;
  DaemonState state_;
  HttpRoutes routes_{source_, state_};
};

TEST_F(HttpRoutesTest, ServesMetricsWithThePrometheusContentType) {
  const HttpReply reply = routes_.handle("GET", "/metrics");
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(reply.body, HasSubstr("\nqdiscsim_scrapes_total 1\n"));
}

TEST_F(HttpRoutesTest, IsReadyOnlyBetweenStartAndStop) {
  HttpReply reply = routes_.handle("GET", "/-/ready");
  EXPECT_EQ(reply.status, 503U);
  EXPECT_THAT(reply.body, HasSubstr("starting"));
  state_.set_phase(Phase::kReady);
  EXPECT_EQ(routes_.handle("GET", "/-/ready").status, 200U);
  state_.set_phase(Phase::kStopping);
  reply = routes_.handle("GET", "/-/ready");
  EXPECT_EQ(reply.status, 503U);
  EXPECT_THAT(reply.body, HasSubstr("stopping"));
  EXPECT_EQ(routes_.handle("GET", "/-/healthy").status, 200U);
}

TEST_F(HttpRoutesTest, RefusesAReloadAndNamesTheWay) {
  for (const char* method : {"GET", "POST", "PUT"}) {
    const HttpReply reply = routes_.handle(method, "/-/reload");
    EXPECT_EQ(reply.status, 403U) << method;
    EXPECT_THAT(reply.body, HasSubstr("read-only"));
    EXPECT_THAT(reply.body, HasSubstr("SIGHUP"));
  }
}

TEST_F(HttpRoutesTest, RefusesOtherMethodsAndNamesTheAllowedOnes) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    const HttpReply reply = routes_.handle(method, "/metrics");
    EXPECT_EQ(reply.status, 405U) << method;
    EXPECT_EQ(reply.allow, "GET, HEAD");
  }
}

TEST_F(HttpRoutesTest, ListsWhatExistsWhenThereIsNothing) {
  const HttpReply reply = routes_.handle("GET", "/metric");
  EXPECT_EQ(reply.status, 404U);
  EXPECT_THAT(reply.body, HasSubstr("nothing at /metric;"));
  EXPECT_THAT(reply.body, HasSubstr("\n  /metrics\n"));
  EXPECT_EQ(routes_.handle("GET", "").status, 404U);
}

TEST_F(HttpRoutesTest, IgnoresTheQuery) {
  EXPECT_EQ(routes_.handle("GET", "/metrics?name[]=up").status, 200U);
}

TEST_F(HttpRoutesTest, ShowsGeneratorsAndTheReportAsOfNow) {
  HttpReply reply = routes_.handle("GET", "/api/v1/generators");
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(nlohmann::json::parse(reply.body)["generators"][0]["group"], "gen");
  const std::string text = routes_.handle("GET", "/api/v1/generators.txt").body;
  EXPECT_THAT(text, HasSubstr("gen/0 on eth0\nResult: OK: "));
  EXPECT_EQ(routes_.handle({"GET", "/api/v1/generators", "text/plain"}).body, text);

  reply = routes_.handle("GET", "/api/v1/report");
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(nlohmann::json::parse(reply.body)["elapsed_seconds"], 0) << "not started";
  state_.started(1000, 1);
  EXPECT_GT(nlohmann::json::parse(routes_.handle("GET", "/api/v1/report").body)["elapsed_seconds"],
            0);
  reply = routes_.handle("GET", "/api/v1/report.md");
  EXPECT_EQ(reply.content_type, "text/markdown; charset=utf-8");
  EXPECT_TRUE(reply.body.starts_with("# Report after "));
}

TEST_F(HttpRoutesTest, SummarisesAsJson) {
  state_.set_phase(Phase::kReady);
  routes_.sample();
  source_.value.taken_at += kSecond;
  source_.value.devices[0].queues[0].tx_packets += 1'488'095;
  source_.value.devices[0].queues[0].bands[2].enqueue_attempts += 1000;
  source_.value.devices[0].queues[0].bands[2].dropped_overlimit += 500;
  routes_.sample();
  const HttpReply reply = routes_.handle("GET", "/api/v1/summary");
  EXPECT_EQ(reply.content_type, "application/json");
  const auto json = nlohmann::json::parse(reply.body);
  EXPECT_EQ(json["state"], "ready");
  EXPECT_EQ(json["devices"][0]["name"], "eth0");
  EXPECT_EQ(json["devices"][0]["delivered_pps"], 1'488'095);
  EXPECT_EQ(json["devices"][0]["bands"][2]["drop_ratio"], 0.5);
  EXPECT_EQ(json["devices"][0]["bands"][1]["backlog_packets"], 100);
  EXPECT_EQ(json["generators"][0]["name"], "gen/0");
  EXPECT_EQ(json["page_pools"][0]["inflight_pages"], 1096);
}

TEST_F(HttpRoutesTest, SummarisesStateAccountsAndPaths) {
  state_.set_phase(Phase::kReady);
  state_.started(1000, 1);
  state_.reload_succeeded(1001);
  state_.set_changes(2);
  source_.value.devices[0].up = false;
  routes_.sample();
  source_.value.taken_at += kSecond;
  source_.value.generators[0].sent_packets += 500;
  source_.value.pools[0].stats.recycle_ring += 32;
  routes_.sample();
  const auto json = nlohmann::json::parse(routes_.handle("GET", "/api/v1/summary").body);
  EXPECT_GT(json["uptime_seconds"], 0);
  EXPECT_EQ(json["config"]["reloads"], 1);
  EXPECT_EQ(json["config"]["changed_since_reload"], 2);
  const auto& device = json["devices"][0];
  EXPECT_EQ(device["up"], false);
  EXPECT_EQ(device["stopped_queues"], 1);
  EXPECT_EQ(device["stuck_seconds"], 2.5);
  EXPECT_EQ(device["backlog_packets"], 302) << "three bands and the requeue list";
  EXPECT_EQ(device["bands"][2]["drops"]["overlimit"], 100);
  EXPECT_EQ(device["bands"][2]["drops"]["deactivated"], 10);
  EXPECT_EQ(json["generators"][0]["rate_pps"], 500);
  EXPECT_EQ(json["page_pools"][0]["recycle_pps"]["ring"], 32);
  EXPECT_EQ(json["page_pools"][0]["alloc_pps"]["fast"], 0);
}

TEST_F(HttpRoutesTest, SummarisesNoLimitAsNull) {
  source_.value.devices[0].link_bits_per_second = 0;
  source_.value.generators[0].configured_pps = 0;
  const auto json = nlohmann::json::parse(routes_.handle("GET", "/api/v1/summary").body);
  EXPECT_TRUE(json["devices"][0]["link_bits_per_second"].is_null());
  EXPECT_TRUE(json["generators"][0]["configured_pps"].is_null());
}

}  // namespace
}  // namespace qdiscsim
