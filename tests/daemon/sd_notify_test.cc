#include "daemon/sd_notify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
using asio::local::datagram_protocol;
using ::testing::StartsWith;

// systemd's end.
class Receiver {
 public:
  explicit Receiver(const std::string& name)
      : socket_{context_, datagram_protocol::endpoint{name}} {
    socket_.non_blocking(true);  // the datagram was sent before the test reads
  }
  std::string next() {
    std::array<char, 512> text{};
    boost::system::error_code error;
    const std::size_t size = socket_.receive(asio::buffer(text), 0, error);
    return error ? "nothing: " + error.message() : std::string{text.data(), size};
  }

 private:
  asio::io_context context_;
  datagram_protocol::socket socket_;
};

class SdNotifierTest : public ::testing::Test {
 protected:
  SdNotifierTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "qdiscsim-XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~SdNotifierTest() override {
    std::filesystem::remove_all(directory_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
  }

  std::string directory_;
};

TEST_F(SdNotifierTest, SendsOneDatagramForEachMessage) {
  const std::string path = directory_ + "/notify";
  Receiver systemd{path};
  SdNotifier notifier{path};
  notifier.ready("2 generator threads");
  EXPECT_EQ(systemd.next(), "READY=1\nSTATUS=2 generator threads");
  notifier.status("all well");
  EXPECT_EQ(systemd.next(), "STATUS=all well");
  notifier.watchdog();
  EXPECT_EQ(systemd.next(), "WATCHDOG=1");
  notifier.stopping("draining");
  EXPECT_EQ(systemd.next(), "STOPPING=1\nSTATUS=draining");
  EXPECT_THAT(systemd.next(), StartsWith("nothing"));
}

TEST_F(SdNotifierTest, StampsAReloadWithTheMonotonicClock) {
  const std::string path = directory_ + "/notify";
  Receiver systemd{path};
  const Nanoseconds before = monotonic_ns() / kMicrosecond;
  SdNotifier{path}.reloading();
  const Nanoseconds after = monotonic_ns() / kMicrosecond;
  const std::string message = systemd.next();
  const std::string prefix = "RELOADING=1\nMONOTONIC_USEC=";
  ASSERT_THAT(message, StartsWith(prefix));
  const auto stamp = std::stoull(message.substr(prefix.size()));
  EXPECT_GE(stamp, before);
  EXPECT_LE(stamp, after);
}

TEST_F(SdNotifierTest, ReachesAnAbstractSocket) {
  const std::string name = "qdiscsim-test-" + std::to_string(getpid());
  Receiver systemd{std::string(1, '\0') + name};
  SdNotifier{"@" + name}.watchdog();
  EXPECT_EQ(systemd.next(), "WATCHDOG=1");
}

TEST_F(SdNotifierTest, DoesNothingWithoutASocketAndSurvivesADeadOne) {
  SdNotifier none;
  EXPECT_FALSE(none.enabled());
  none.ready("x");
  SdNotifier dead{directory_ + "/nobody"};
  dead.ready("x");
  dead.watchdog();
  SdNotifier too_long{"/" + std::string(200, 'x')};
  too_long.ready("x");
}

TEST_F(SdNotifierTest, ReadsTheEnvironment) {
  EXPECT_FALSE(SdNotifier::from_environment().enabled());
  setenv("NOTIFY_SOCKET", "not a path", 1);
  EXPECT_FALSE(SdNotifier::from_environment().enabled());
  setenv("NOTIFY_SOCKET", "/run/notify", 1);
  EXPECT_TRUE(SdNotifier::from_environment().enabled());
  EXPECT_FALSE(SdNotifier::from_environment().watchdog_period());
  setenv("WATCHDOG_USEC", "30000000", 1);
  EXPECT_EQ(SdNotifier::from_environment().watchdog_period(), std::chrono::seconds{15});
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(SdNotifier::from_environment().watchdog_period());
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_TRUE(SdNotifier::from_environment().watchdog_period());
  setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_FALSE(SdNotifier::from_environment().watchdog_period());
}

}  // namespace
}  // namespace qdiscsim
