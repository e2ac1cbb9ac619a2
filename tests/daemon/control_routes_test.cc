// What changes a running daemon: which overrides a request becomes, and how mistakes are answered.
#include "daemon/control_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace qdiscsim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FakeTarget final : public ControlTarget {
 public:
  FakeTarget() {
    config_.devices.resize(2);
    config_.devices[1].name = "eth1";
    config_.devices[1].queues = 3;
    config_.generators.resize(2);
    config_.generators[1].name = "other";
    config_.generators[1].enabled = false;
  }
  const config::Config& config() const override { return config_; }
  ReloadOutcome change(const std::vector<config::Override>& overrides) override {
    for (const auto& one : overrides) changes.push_back(one.text);
    return outcome;
  }
  ReloadOutcome reload_file() override {
    ++reloads;
    return outcome;
  }

  ReloadOutcome set_up(const std::string& device, bool up) override {
    changes.push_back(device + (up ? " up" : " down"));
    return outcome;
  }

  ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                      std::chrono::milliseconds time) override {
    changes.push_back(device + '/' + std::to_string(queue) + " stall " +
                      std::to_string(time.count()));
    return outcome;
  }

  std::vector<std::string> changes;
  int reloads = 0;
  ReloadOutcome outcome{true, {"what changed"}};

 private:
  config::Config config_;
};

class ControlRoutesTest : public testing::Test {
 protected:
  HttpReply ask(std::string method, std::string path, std::string body = "",
                std::string type = "application/json") {
    return control_reply({std::move(method), std::move(path), std::move(type), std::move(body)},
                         target_);
  }
  // The problem's title and detail, which must name path and status.
  std::string problem(const HttpReply& reply, unsigned status, const std::string& path) {
    EXPECT_EQ(reply.status, status);
    EXPECT_EQ(reply.content_type, "application/problem+json");
    const auto json = nlohmann::json::parse(reply.body);
    EXPECT_EQ(json.at("status"), status);
    EXPECT_EQ(json.at("instance"), path);
    EXPECT_THAT(json.at("type").get<std::string>(), testing::StartsWith("urn:qdiscsim:problem:"));
    EXPECT_THAT(target_.changes, IsEmpty());
    return json.at("title").get<std::string>() + ": " + json.at("detail").get<std::string>();
  }

  FakeTarget target_;
};

TEST_F(ControlRoutesTest, MakesOverridesOfTheKeysOfAGenerator) {
  const HttpReply reply =
      ask("PATCH", "/api/v1/generators/other",
          R"({"threads": 3, "ratep": "1.5Mpps", "pin": true, "count": null, "source": "fd00::1",
              "priority": [{"priority": 6, "weight": 2}], "packet_size": {"imix": "7:4:1"}})");
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(nlohmann::json::parse(reply.body).at("changes").at(0), "what changed");
  EXPECT_THAT(target_.changes, ElementsAre("generators[1].threads=3", "generators[1].ratep=1.5Mpps",
                                           "generators[1].pin=true", "generators[1].count=",
                                           R"(generators[1].source="fd00::1")",
                                           R"(generators[1].priority=[{"priority":6,"weight":2}])",
                                           R"(generators[1].packet_size={"imix":"7:4:1"})"));
}

TEST_F(ControlRoutesTest, LeavesAloneWhatADevicesMapDoesNotName) {
  EXPECT_EQ(
      ask("PATCH", "/api/v1/devices/eth1", R"({"tx_queue_len": 50, "link": {"rate": "10Gbit"}})")
          .status,
      200U);
  EXPECT_THAT(target_.changes,
              ElementsAre("devices[1].tx_queue_len=50", "devices[1].link.rate=10Gbit"));
}

TEST_F(ControlRoutesTest, StartsAndStopsAGroup) {
  ask("POST", "/api/v1/generators/other/start");
  ask("POST", "/api/v1/generators/other/stop");
  EXPECT_THAT(target_.changes,
              ElementsAre("generators[1].enabled=true", "generators[1].enabled=false"));
}

TEST_F(ControlRoutesTest, StartsAGroupAnewThatRunsOrHasCometoItsEnd) {
  ask("POST", "/api/v1/generators/gen/start");
  EXPECT_THAT(target_.changes,
              ElementsAre("generators[0].enabled=false", "generators[0].enabled=true"));
}

TEST_F(ControlRoutesTest, SetsADeviceDownAndUp) {
  EXPECT_EQ(ask("POST", "/api/v1/devices/eth1/down").status, 200U);
  EXPECT_EQ(ask("POST", "/api/v1/devices/eth1/up").status, 200U);
  EXPECT_THAT(target_.changes, ElementsAre("eth1 down", "eth1 up"));
  EXPECT_EQ(ask("GET", "/api/v1/devices/eth1/up").allow, "POST");
  EXPECT_EQ(ask("POST", "/api/v1/devices/eth9/up").status, 404U);
}

TEST_F(ControlRoutesTest, StallsAQueue) {
  const std::string path = "/api/v1/devices/eth1/queues/2/stall";
  for (const std::string wrong :
       {"0", "60001", "-1", "1.5", "\"9\"", "null", "18446744073709551616", R"(9, "x": 1)"}) {
    EXPECT_THAT(
        problem(ask("POST", path, "{\"milliseconds\": " + wrong + "}"), 422, path),
        HasSubstr(wrong.find('x') == std::string::npos ? "allowed: 1 to 60000" : "x: unknown key"));
  }
  for (const std::string queue : {"3", "-1", "0x1", "99999999999", "a"}) {
    const std::string other = "/api/v1/devices/eth1/queues/" + queue + "/stall";
    EXPECT_THAT(problem(ask("POST", other, R"({"milliseconds": 9})"), 404, other),
                HasSubstr("no tx queue " + queue + "; there are: 0, 1, 2"));
  }
  EXPECT_EQ(ask("POST", path).status, 400U);
  EXPECT_EQ(ask("POST", path, R"({"milliseconds": 60000})").status, 200U);
  EXPECT_THAT(target_.changes, ElementsAre("eth1/2 stall 60000"));
}

TEST_F(ControlRoutesTest, ReloadsTheFileUnderBothNames) {
  EXPECT_EQ(ask("POST", "/-/reload").status, 200U);
  EXPECT_EQ(ask("POST", "/api/v1/reload").status, 200U);
  EXPECT_EQ(target_.reloads, 2);
  const HttpReply wrong = ask("PUT", "/-/reload");
  EXPECT_EQ(wrong.allow, "POST");
  EXPECT_THAT(problem(wrong, 405, "/-/reload"), HasSubstr("PUT does nothing here; allowed: POST"));
}

TEST_F(ControlRoutesTest, TellsEveryReasonOfARefusal) {
  target_.outcome = {false, {"first", "second"}};
  const HttpReply reply = ask("POST", "/-/reload");
  EXPECT_THAT(problem(reply, 409, "/-/reload"), HasSubstr("nothing has changed: first"));
  EXPECT_THAT(nlohmann::json::parse(reply.body).at("errors"), ElementsAre("first", "second"));
}

TEST_F(ControlRoutesTest, TellsWhatIsWrongFromWhatDoesNotFitThePresentState) {
  const std::string path = "/api/v1/devices/eth1";
  const auto type = [&] {
    return nlohmann::json::parse(ask("PATCH", path, R"({"queues": 3})").body)
        .at("type")
        .get<std::string>();
  };
  target_.outcome = {false, {"needs a restart"}};
  EXPECT_THAT(type(), testing::EndsWith(":conflict"));
  target_.outcome.refusal = Refusal::kWrong;
  EXPECT_THAT(type(), testing::EndsWith(":wrong-change"));
  EXPECT_EQ(ask("PATCH", path, R"({"queues": 3})").status, 422U);
}

TEST_F(ControlRoutesTest, NeverResetsCounters) {
  EXPECT_THAT(problem(ask("POST", "/api/v1/counters/reset"), 403, "/api/v1/counters/reset"),
              HasSubstr("counters that only grow"));
}

TEST_F(ControlRoutesTest, NamesWhatThereIs) {
  EXPECT_THAT(problem(ask("PATCH", "/api/v1/generators/gem", "{}"), 404, "/api/v1/generators/gem"),
              HasSubstr("no entry of `generators` is called gem; there are: gen, other"));
  for (const std::string path :
       {"/api/v1/generators/", "/api/v1/generators/gen/", "/api/v1/devices/",
        "/api/v1/devices/eth1/start", "/api/v1/generators/gen/x"}) {
    EXPECT_THAT(problem(ask("POST", path), 404, path),
                HasSubstr("PATCH /api/v1/generators/{name},"));
  }
  EXPECT_EQ(ask("POST", "/api/v1/generators/gen").allow, "PATCH");
  EXPECT_EQ(ask("PATCH", "/api/v1/generators/gen/stop").allow, "POST");
}

TEST_F(ControlRoutesTest, SaysWhatABodyMustBe) {
  const std::string path = "/api/v1/generators/gen";
  EXPECT_THAT(problem(ask("PATCH", path, "{\"threads\": 2}", "text/plain"), 415, path),
              HasSubstr("Content-Type: application/json"));
  for (const std::string body : {"", "{", "[]", "{}", "3", "\xff\xfe", "{\"a\": \"\xff\"}"}) {
    EXPECT_THAT(problem(ask("PATCH", path, body), 400, path), HasSubstr("a JSON object")) << body;
  }
  EXPECT_THAT(problem(ask("PATCH", path, R"({"leak.every": 2})"), 422, path),
              HasSubstr("nest maps instead"));
  EXPECT_THAT(problem(ask("PATCH", path, "{\"a\": " + std::string(60'000, '[')), 400, path),
              HasSubstr("32 levels"));
}

TEST_F(ControlRoutesTest, NamesTheSocketToWhomMayNotChangeAnything) {
  const HttpReply reply = control_refused("/-/reload", "/run/a.sock");
  EXPECT_THAT(problem(reply, 403, "/-/reload"),
              HasSubstr("curl --unix-socket /run/a.sock -X POST http://localhost/-/reload"));
  EXPECT_THAT(control_refused("/api/v1/devices/eth0", "/run/a.sock").body,
              HasSubstr("-X PATCH http://localhost/api/v1/devices/eth0."));
  EXPECT_THAT(control_refused("/-/reload", "").body, HasSubstr("SIGHUP"));
}

}  // namespace
}  // namespace qdiscsim
