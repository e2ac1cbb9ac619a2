#include "daemon/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "config/exit_codes.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::local::datagram_protocol;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What the fake data plane was told, kept longer than it lives.
struct Record {
  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  std::atomic<int> reloads{0};
  std::atomic<bool> finished{false};
  std::atomic<int> watches{0};
  bool start_fails = false;
  bool start_unusable = false;
  bool accounts_wrong = false;
};

class FakeDataPlane : public DataPlane {
 public:
  explicit FakeDataPlane(Record& record) : record_{record} {}
  void start() override {
    ++record_.starts;
    if (record_.start_unusable) throw UnusableConfiguration{"pktgen.control_fs: /x: is not empty"};
    if (record_.start_fails)
      throw std::runtime_error("CPU 7: cannot pin a thread to it: not online");
  }
  ReloadOutcome reload(const config::Config&) override {
    ++record_.reloads;
    return {true, {}};
  }
  ReloadOutcome set_up(const std::string&, bool) override { return {true, {}}; }
  ReloadOutcome stall(const std::string&, std::uint16_t, std::chrono::milliseconds) override {
    return {true, {}};
  }
  void stop() override { ++record_.stops; }
  std::vector<std::string> watch() override {
    if (record_.watches++ > 0) return {};
    return {"eth0 queue 0 is stuck"};
  }
  bool finished() const override { return record_.finished; }
  Snapshot snapshot() const override {
    Snapshot s = sample_snapshot();
    if (record_.accounts_wrong) ++s.pools[0].hold;
    return s;
  }

 private:
  Record& record_;
};

// Runs a service on a thread of its own and talks to it as systemd and Prometheus do: every step
// waits for the message that says that the one before is done.
class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "qdiscsim-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    systemd_ = std::make_unique<datagram_protocol::socket>(
        context_, datagram_protocol::endpoint{directory_ + "/notify"});
    config_.http.port = 0;
    config_.control.socket = "none";
    config_.devices.emplace_back();
    config_.generators.emplace_back();
    options_.progress = false;
    options_.report_to = std::tmpfile();
    options_.notifier = SdNotifier{directory_ + "/notify"};
    options_.load = [this] {
      config::Result result;
      result.config = config_;
      return result;
    };
  }
  ~ServiceTest() override {
    if (thread_.joinable()) thread_.join();
    std::fclose(options_.report_to);
    std::filesystem::remove_all(directory_);
  }

  void launch() {
    service_ = std::make_unique<Service>(
        config_, options_, [this](const config::Config&) -> std::unique_ptr<DataPlane> {
          return std::make_unique<FakeDataPlane>(record_);
        });
    thread_ = std::thread{[this] { exit_code_ = service_->run(); }};
  }

  // Of a whole life of a millisecond that ends well.
  std::string log_of_a_run() {
    const auto before = spdlog::default_logger();
    std::ostringstream log;
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
    config_.duration_ns = kMillisecond;
    launch();
    EXPECT_EQ(wait(), config::kExitOk);
    spdlog::set_default_logger(before);
    return log.str();
  }

  int wait() {
    thread_.join();
    return exit_code_;
  }

  std::string told_systemd() {
    std::array<char, 512> text{};
    return {text.data(), systemd_->receive(asio::buffer(text))};
  }

  std::string report() {
    std::string text(64 * 1024, '\0');
    std::rewind(options_.report_to);
    text.resize(std::fread(text.data(), 1, text.size(), options_.report_to));
    return text;
  }

  unsigned status_of(const std::string& target) {
    asio::ip::tcp::socket socket{context_};
    socket.connect({asio::ip::address_v4::loopback(), service_->port()});
    http::request<http::empty_body> request{http::verb::get, target, 11};
    http::write(socket, request);
    boost::beast::flat_buffer buffer;
    http::response<http::string_body> response;
    http::read(socket, buffer, response);
    body_ = response.body();
    return response.result_int();
  }

  Record record_;
  config::Config config_;
  ServiceOptions options_;
  std::string directory_;
  asio::io_context context_;
  std::unique_ptr<datagram_protocol::socket> systemd_;
  std::unique_ptr<Service> service_;
  std::thread thread_;
  std::string body_;
  int exit_code_ = -1;
};

TEST_F(ServiceTest, DrainsAndReportsOnSigterm) {
  launch();
  EXPECT_THAT(told_systemd(),
              StartsWith("READY=1\nSTATUS=1 generator thread to 1 device, http://127.0.0.1:"));
  EXPECT_EQ(status_of("/-/ready"), 200U);
  EXPECT_EQ(status_of("/metrics"), 200U);
  std::raise(SIGTERM);
  EXPECT_THAT(told_systemd(), StartsWith("STOPPING=1\n"));
  EXPECT_EQ(wait(), config::kExitOk);
  EXPECT_EQ(record_.starts, 1);
  EXPECT_EQ(record_.stops, 1);
  EXPECT_THAT(report(), HasSubstr("accounts: exact\n"));
}

TEST_F(ServiceTest, LogsWhatTheDataPlaneSaysStandsStill) {
  EXPECT_THAT(log_of_a_run(), HasSubstr("[warning] eth0 queue 0 is stuck\n"));
  EXPECT_GE(record_.watches, 1);
}

TEST_F(ServiceTest, NamesThePagesThatAreOutAtTheEndWithoutTakingThemForABug) {
  const std::string line =
      "gen/0: page_pool_release_retry() stalled pool shutdown: id 1, 732 inflight 0 sec\n";
  EXPECT_THAT(log_of_a_run(), HasSubstr("[warning] " + line));
  EXPECT_THAT(report(), HasSubstr("Pages that did not come home\n  " + line));
}

TEST_F(ServiceTest, SaysHowMuchMemoryItTookWhereNoneWasGiven) {
  config_.generators[0].threads = 16;
  EXPECT_THAT(log_of_a_run(),
              HasSubstr("[info] memory.limit: not given: 88MiB for what queues, generators and "
                        "pools can hold\n"));
}

TEST_F(ServiceTest, WarnsWhenTheGivenMemoryCanLeaveAGeneratorWithoutPages) {
  config_.generators[0].threads = 16;
  config_.memory.limit_bytes = 64U << 20U;
  EXPECT_THAT(log_of_a_run(), HasSubstr("[warning] memory.limit: pages that rest in the rings"));
}

TEST_F(ServiceTest, StopsByItselfWhenTheDurationIsOver) {
  config_.duration_ns = kMillisecond;
  launch();
  EXPECT_EQ(wait(), config::kExitOk);
  EXPECT_EQ(record_.stops, 1);
}

TEST_F(ServiceTest, WritesTheFinalReportToAFileToo) {
  const std::string path = directory_ + "/report.json";
  options_.report_file = std::make_shared<ReportFile>(path);
  config_.duration_ns = kMillisecond;
  launch();
  EXPECT_EQ(wait(), config::kExitOk);
  std::ifstream file{path};
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["accounts"]["exact"], true);
  EXPECT_EQ(json["devices"][0]["name"], "eth0");
}

TEST_F(ServiceTest, FailsWhenTheReportIsLost) {
  options_.report_file = std::make_shared<ReportFile>("/dev/full");
  config_.duration_ns = kMillisecond;
  launch();
  EXPECT_EQ(wait(), config::kExitIo);
}

TEST_F(ServiceTest, StopsWhenEveryGeneratorIsFinishedIfToldSo) {
  options_.once = true;
  record_.finished = true;
  launch();
  EXPECT_EQ(wait(), config::kExitOk);
}

TEST_F(ServiceTest, RefusesToWaitForGeneratorsOfWhichNoneIsEnabled) {
  options_.once = true;
  config_.generators[0].enabled = false;
  launch();
  EXPECT_EQ(wait(), config::kExitConfig);
  EXPECT_EQ(record_.starts, 0);
}

TEST_F(ServiceTest, AppliesAChangedConfigurationOnSighup) {
  options_.load = [this] {
    config::Result result;
    result.config = config_;
    result.config->generators[0].threads = 3;
    return result;
  };
  launch();
  told_systemd();
  std::raise(SIGHUP);
  EXPECT_THAT(told_systemd(), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_THAT(told_systemd(), StartsWith("READY=1\nSTATUS=3 generator threads"));
  EXPECT_EQ(record_.reloads, 1);
  EXPECT_EQ(status_of("/metrics"), 200U);
  EXPECT_THAT(body_, HasSubstr("qdiscsim_config_reloads_total{result=\"success\"} 1\n"));
  EXPECT_THAT(body_, HasSubstr("qdiscsim_config_last_reload_successful 1\n"));
  std::raise(SIGINT);
  EXPECT_EQ(wait(), config::kExitOk);
}

TEST_F(ServiceTest, ChangesNothingWhenTheNewConfigurationIsWrong) {
  options_.load = [] { return config::load_text("devices: 7\n", "new.yaml"); };
  launch();
  told_systemd();
  std::raise(SIGHUP);
  told_systemd();
  EXPECT_THAT(told_systemd(), StartsWith("READY=1"));
  EXPECT_EQ(record_.reloads, 0);
  EXPECT_EQ(status_of("/metrics"), 200U);
  EXPECT_THAT(body_, HasSubstr("qdiscsim_config_reloads_total{result=\"failure\"} 1\n"));
  EXPECT_THAT(body_, HasSubstr("qdiscsim_config_last_reload_successful 0\n"));
  EXPECT_EQ(status_of("/-/ready"), 200U);
  std::raise(SIGTERM);
  EXPECT_EQ(wait(), config::kExitOk);
}

TEST_F(ServiceTest, RefusesAReloadThatNeedsARestart) {
  options_.load = [this] {
    config::Result result;
    result.config = config_;
    result.config->http.port = 1;
    return result;
  };
  launch();
  told_systemd();
  std::raise(SIGHUP);
  told_systemd();
  told_systemd();
  EXPECT_EQ(record_.reloads, 0);
  EXPECT_EQ(status_of("/metrics"), 200U);
  EXPECT_THAT(body_, HasSubstr("qdiscsim_config_last_reload_successful 0\n"));
  std::raise(SIGTERM);
  EXPECT_EQ(wait(), config::kExitOk);
}

TEST_F(ServiceTest, FailsWithItsOwnExitCodeWhenThePortIsTaken) {
  asio::ip::tcp::acceptor taken{context_, {asio::ip::address_v4::loopback(), 0}};
  config_.http.port = taken.local_endpoint().port();
  launch();
  EXPECT_EQ(wait(), config::kExitUnavailable);
  EXPECT_EQ(record_.starts, 0);
}

TEST_F(ServiceTest, FailsWithItsOwnExitCodeWhenTheDataPlaneCannotStart) {
  record_.start_fails = true;
  launch();
  EXPECT_EQ(wait(), config::kExitOs);
}

TEST_F(ServiceTest, FailsAsWithAMistakeInTheConfigurationWhenTheMachineLacksWhatItNames) {
  record_.start_unusable = true;
  launch();
  EXPECT_EQ(wait(), config::kExitConfig);
}

TEST_F(ServiceTest, FailsWithItsOwnExitCodeWhenTheAccountsAreWrong) {
  record_.accounts_wrong = true;
  config_.duration_ns = kMillisecond;
  launch();
  EXPECT_EQ(wait(), config::kExitSoftware);
  EXPECT_THAT(report(), HasSubstr("accounts: WRONG"));
}

}  // namespace
}  // namespace qdiscsim
