// The UNIX socket beside TCP: who may change things, where the answers come from, and how the
// socket comes and goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

#include "daemon/control_socket.h"
#include "daemon/http_server.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::local::stream_protocol;
using testing::HasSubstr;

class HttpControlTest : public testing::Test {
 protected:
  HttpControlTest() {
    std::string pattern = testing::TempDir() + "qdiscsim-control-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/below/control.sock";
  }
  ~HttpControlTest() override {
    if (answerer_.joinable()) answerer_.join();
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Changes are answered by a thread of their own with what was asked for.
  void start() {
    server_.emplace("127.0.0.1", static_cast<std::uint16_t>(0));
    server_->listen_for_changes(path_);
    routes_.set_control_socket(path_);
    server_->on_change([this](ControlRequest request, std::function<void(HttpReply)> answer) {
      if (request.body == "never") return asked_.set_value();
      if (answerer_.joinable()) answerer_.join();
      answerer_ = std::thread{[request = std::move(request), answer = std::move(answer)] {
        answer(json_reply(request.method + ' ' + request.path + ' ' + request.body));
      }};
    });
    server_->start(routes_);
  }
  template <class Protocol>
  typename Protocol::socket connect(const typename Protocol::endpoint& to) {
    typename Protocol::socket socket{context_};
    socket.connect(to);
    return socket;
  }
  template <class Socket>
  static http::response<http::string_body> ask(Socket& socket, http::verb verb,
                                               const std::string& target, std::string body = "") {
    http::request<http::string_body> request{verb, target, 11, std::move(body)};
    request.prepare_payload();
    http::write(socket, request);
    boost::beast::flat_buffer buffer;
    http::response<http::string_body> response;
    http::read(socket, buffer, response);
    return response;
  }

  FakeSource source_;
  DaemonState state_;
  HttpRoutes routes_{source_, state_};
  std::string folder_;
  std::string path_;
  asio::io_context context_;
  std::promise<void> asked_;
  std::thread answerer_;
  std::optional<HttpServer> server_;
};

TEST_F(HttpControlTest, TakesChangesAndQuestionsOnOneConnection) {
  start();
  auto socket = connect<stream_protocol>(path_);
  EXPECT_EQ(ask(socket, http::verb::get, "/-/healthy").body(), "healthy\n");
  EXPECT_EQ(ask(socket, http::verb::patch, "/api/v1/devices/eth0?x=1", "{}").body(),
            "PATCH /api/v1/devices/eth0 {}");
  EXPECT_EQ(ask(socket, http::verb::post, "/-/reload").body(), "POST /-/reload ");
  EXPECT_EQ(ask(socket, http::verb::get, "/metrics").result_int(), 200U);
}

TEST_F(HttpControlTest, RefusesChangesOverTcpAndNamesTheSocket) {
  start();
  auto socket = connect<asio::ip::tcp>({asio::ip::address_v4::loopback(), server_->port()});
  for (const char* path : {"/-/reload", "/api/v1/generators/gen/stop", "/api/v1/devices/eth0"}) {
    const auto answer = ask(socket, http::verb::post, path);
    EXPECT_EQ(answer.result_int(), 403U);
    EXPECT_EQ(answer[http::field::content_type], "application/problem+json");
    EXPECT_THAT(answer.body(), HasSubstr(path_));
  }
}

TEST_F(HttpControlTest, HasRoomForLongerBodiesOverTheSocket) {
  start();
  auto socket = connect<stream_protocol>(path_);
  EXPECT_EQ(
      ask(socket, http::verb::patch, "/api/v1/devices/a", std::string(60'000, ' ')).result_int(),
      200U);
  EXPECT_EQ(
      ask(socket, http::verb::patch, "/api/v1/devices/a", std::string(70'000, ' ')).result_int(),
      413U);
}

TEST_F(HttpControlTest, StopsWhileAChangeHasNoAnswerYet) {
  start();
  auto socket = connect<stream_protocol>(path_);
  http::request<http::string_body> request{http::verb::post, "/-/reload", 11, "never"};
  request.prepare_payload();
  http::write(socket, request);
  asked_.get_future().wait();
  server_->stop();
  server_.reset();
  boost::system::error_code error;
  char byte = 0;
  EXPECT_EQ(socket.read_some(asio::buffer(&byte, 1), error), 0U);
}

TEST_F(HttpControlTest, IsForItsUserAndGroupAndGoesWithTheServer) {
  start();
  struct stat is {};
  ASSERT_EQ(lstat(path_.c_str(), &is), 0);
  EXPECT_TRUE(S_ISSOCK(is.st_mode));
  EXPECT_EQ(is.st_mode & 07777U, 0660U);
  server_->stop();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

std::string why_refused(asio::io_context& context, const std::string& path) {
  try {
    ControlSocket{context, path};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST_F(HttpControlTest, LeavesALivingSocketAloneAndReplacesADeadOne) {
  start();
  EXPECT_EQ(why_refused(context_, path_),
            "control.socket: " + path_ +
                ": another qdiscsimd answers on it; choose another path with control.socket, or "
                "none");
  EXPECT_TRUE(std::filesystem::exists(path_));
  const std::string left = folder_ + "/left.sock";
  { stream_protocol::acceptor{context_, left}; }  // closed, but its file stays
  EXPECT_EQ(why_refused(context_, left), "");
}

TEST_F(HttpControlTest, LeavesAFileAloneThatIsNoSocket) {
  const std::string file = folder_ + "/file";
  std::ofstream{file} << "somebody's";
  EXPECT_THAT(why_refused(context_, file), HasSubstr("is there already, and is no socket"));
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_THAT(why_refused(context_, folder_ + "/file/control.sock"), HasSubstr("Not a directory"));
}

TEST(ControlSocketPath, FollowsTheServiceManagerAndTheUsersSession) {
  EXPECT_EQ(control_socket_path("none"), "");
  EXPECT_EQ(control_socket_path("/tmp/a"), "/tmp/a");
  setenv("RUNTIME_DIRECTORY", "/run/qdiscsim-a", 1);
  EXPECT_EQ(control_socket_path("auto"), "/run/qdiscsim-a/control.sock");
  unsetenv("RUNTIME_DIRECTORY");
}

}  // namespace
}  // namespace qdiscsim
