#include "daemon/device_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/http_routes.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DeviceRoutesTest : public ::testing::Test {
 protected:
  DeviceRoutesTest() {
    source_.value.devices.push_back(source_.value.devices[0]);
    source_.value.devices[0].has_bql = true;
    source_.value.devices[1].name = "eth1";
  }
  HttpReply get(std::string_view target, std::string_view accept = "*/*") {
    return routes_.handle({.method = "GET", .target = target, .accept = accept});
  }

  FakeSource source_;
  DaemonState state_;
  HttpRoutes routes_{source_, state_};
};

TEST_F(DeviceRoutesTest, ShowQdiscsAsJsonUnlessTextIsAskedFor) {
  const HttpReply json = get("/api/v1/qdisc");
  EXPECT_EQ(json.status, 200U);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_THAT(json.body, StartsWith(R"([{"kind":"pfifo_fast","handle":"0:","dev":"eth0",)"));
  for (const HttpReply& text : {get("/api/v1/qdisc.txt"), get("/api/v1/qdisc", "text/plain")}) {
    EXPECT_EQ(text.content_type, "text/plain; charset=utf-8");
    EXPECT_THAT(text.body, StartsWith("qdisc pfifo_fast 0: dev eth0 root refcnt 2 "));
    EXPECT_THAT(text.body, HasSubstr("\nqdisc pfifo_fast 0: dev eth1 root refcnt 2 "));
  }
}

TEST_F(DeviceRoutesTest, ShowOneDeviceWithoutRepeatingItsName) {
  EXPECT_THAT(get("/api/v1/qdisc.txt?dev=eth1").body,
              StartsWith("qdisc pfifo_fast 0: root refcnt 2 "));
  const std::string json = get("/api/v1/qdisc?dev=eth1").body;
  EXPECT_THAT(json, Not(HasSubstr("dev")));
  EXPECT_THAT(json, Not(HasSubstr("},{"))) << "one qdisc";
}

TEST_F(DeviceRoutesTest, ShowByteQueueLimits) {
  EXPECT_THAT(get("/api/v1/bql?dev=eth0").body,
              StartsWith(R"([{"dev":"eth0","queue":"tx-0","byte_queue_limits":{"hold_time":)"));
  EXPECT_THAT(get("/api/v1/bql.txt?dev=eth0").body,
              HasSubstr("/sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit:9000\n"));
  EXPECT_THAT(get("/api/v1/bql.txt?dev=eth1").body, Not(HasSubstr("byte_queue_limits")));
  EXPECT_EQ(get("/api/v1/bql", "text/plain").body, get("/api/v1/bql.txt").body);
}

TEST_F(DeviceRoutesTest, NameTheDevicesThatExistWhenOneDoesNot) {
  for (const char* address : {"/api/v1/qdisc", "/api/v1/qdisc.txt", "/api/v1/bql"}) {
    const HttpReply reply = get(std::string{address} + "?dev=eth9");
    EXPECT_EQ(reply.status, 404U) << address;
    EXPECT_EQ(reply.body, "Cannot find device \"eth9\"; there are\n  eth0\n  eth1\n");
  }
  EXPECT_EQ(get("/api/v1/qdisc?dev").status, 404U) << "an empty name is no device's";
}

TEST_F(DeviceRoutesTest, RefuseParametersThatTheyDoNotKnow) {
  const HttpReply reply = get("/api/v1/qdisc?device=eth0");
  EXPECT_EQ(reply.status, 400U);
  EXPECT_EQ(reply.body, "unknown parameter \"device\": /api/v1/qdisc knows dev=NAME\n");
  EXPECT_EQ(get("/api/v1/bql?dev=eth0&dev=eth1").status, 400U);
}

TEST_F(DeviceRoutesTest, AreListedWhenThereIsNothingAtAnAddress) {
  const HttpReply reply = get("/api/v1/qdiscs");
  EXPECT_EQ(reply.status, 404U);
  for (const char* path : {"/api/v1/qdisc", "/api/v1/qdisc.txt", "/api/v1/bql", "/api/v1/bql.txt"})
    EXPECT_THAT(reply.body, HasSubstr("\n  " + std::string{path} + "\n"));
  EXPECT_EQ(routes_.handle("POST", "/api/v1/qdisc").status, 405U);
}

}  // namespace
}  // namespace qdiscsim
