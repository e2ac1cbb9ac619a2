#include "daemon/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/buffers_iterator.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <list>
#include <stdexcept>

#include "tests/daemon/log_lines.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A blocking client on one connection.
class Client {
 public:
  Client() { socket_.open(asio::ip::tcp::v4()); }
  explicit Client(std::uint16_t port) { connect(port); }

  void connect(std::uint16_t port) { socket_.connect({asio::ip::address_v4::loopback(), port}); }

  http::response<http::string_body> ask(http::verb method, const std::string& target,
                                        const std::string& body = {}) {
    http::request<http::string_body> request{method, target, 11, body};
    request.set(http::field::host, "localhost");
    request.prepare_payload();
    http::write(socket_, request);
    return answer(method == http::verb::head);
  }

  void send(const std::string& bytes) { asio::write(socket_, asio::buffer(bytes)); }

  http::response<http::string_body> answer(bool to_head = false) {
    http::response_parser<http::string_body> parser;
    parser.skip(to_head);
    http::read(socket_, buffer_, parser);
    return parser.release();
  }

  // Everything until the server closes.
  std::string rest() {
    asio::streambuf bytes;
    boost::system::error_code error;
    asio::read(socket_, bytes, error);
    return {asio::buffers_begin(bytes.data()), asio::buffers_end(bytes.data())};
  }

 private:
  asio::io_context context_;
  asio::ip::tcp::socket socket_{context_};
  boost::beast::flat_buffer buffer_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServer& start(HttpLimits limits = {}) {
    server_.emplace("127.0.0.1", static_cast<std::uint16_t>(0), limits);
    server_->start(routes_);
    return *server_;
  }

  FakeSource source_;
  DaemonState state_;
  HttpRoutes routes_{source_, state_};
  std::optional<HttpServer> server_;
};

TEST_F(HttpServerTest, ReportsThePortThatTheSystemChose) {
  HttpServer& server = start();
  EXPECT_NE(server.port(), 0);
  EXPECT_EQ(server.address(), "127.0.0.1:" + std::to_string(server.port()));
}

TEST_F(HttpServerTest, AnswersSeveralRequestsOnOneConnection) {
  Client client{start().port()};
  const auto metrics = client.ask(http::verb::get, "/metrics");
  EXPECT_EQ(metrics.result_int(), 200U);
  EXPECT_EQ(metrics[http::field::content_type], "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(metrics.body(), HasSubstr("qdiscsim_generator_sent_packets_total"));
  EXPECT_TRUE(metrics.keep_alive());
  EXPECT_EQ(client.ask(http::verb::get, "/-/healthy").body(), "healthy\n");
  EXPECT_EQ(client.ask(http::verb::get, "/-/ready").result_int(), 503U);
  EXPECT_EQ(client.ask(http::verb::get, "/nowhere").result_int(), 404U);
  EXPECT_EQ(client.ask(http::verb::get, "/").result_int(), 200U);
}

TEST_F(HttpServerTest, AnswersInTheTypeThatTheClientAccepts) {
  Client client{start().port()};
  client.send("GET /api/v1/qdisc HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\n\r\n");
  EXPECT_THAT(client.answer().body(), StartsWith("qdisc pfifo_fast 0: dev eth0 root "));
  client.send("GET /api/v1/qdisc HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer()[http::field::content_type], "application/json");
}

TEST_F(HttpServerTest, AnswersRequestsThatCameInOnePiece) {
  Client client{start().port()};
  client.send("GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().result_int(), 200U);
  EXPECT_EQ(client.answer().result_int(), 404U);
}

TEST_F(HttpServerTest, AnswersHeadWithTheLengthButWithoutTheBody) {
  Client client{start().port()};
  const auto head = client.ask(http::verb::head, "/-/healthy");
  EXPECT_EQ(head.result_int(), 200U);
  EXPECT_EQ(head[http::field::content_length], "8");
  EXPECT_EQ(head.body(), "");
  EXPECT_EQ(client.ask(http::verb::get, "/-/healthy").body(), "healthy\n");
}

TEST_F(HttpServerTest, ClosesWhenTheClientAsksForIt) {
  Client client{start().port()};
  client.send("GET /-/healthy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(client.answer().keep_alive());
  EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpServerTest, NamesTheAllowedMethods) {
  Client client{start().port()};
  const auto answer = client.ask(http::verb::post, "/metrics", "x=1");
  EXPECT_EQ(answer.result_int(), 405U);
  EXPECT_EQ(answer[http::field::allow], "GET, HEAD");
  EXPECT_EQ(client.ask(http::verb::post, "/-/reload").result_int(), 403U);
}

TEST_F(HttpServerTest, RefusesAHeaderAboveTheLimit) {
  Client client{start().port()};
  client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(9000, 'x') + "\r\n\r\n");
  const auto answer = client.answer();
  EXPECT_EQ(answer.result_int(), 431U);
  EXPECT_FALSE(answer.keep_alive());
}

TEST_F(HttpServerTest, RefusesABodyAboveTheLimit) {
  Client client{start().port()};
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1025\r\n\r\n" +
              std::string(1025, 'x'));
  EXPECT_EQ(client.answer().result_int(), 413U);
}

TEST_F(HttpServerTest, RefusesWhatIsNotHttp) {
  Client client{start().port()};
  client.send("\x16\x03\x01 hello\r\n\r\n");
  EXPECT_EQ(client.answer().result_int(), 400U);
}

TEST_F(HttpServerTest, ClosesASlowClientAndServesTheNext) {
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{30};
  HttpServer& server = start(limits);
  Client slow{server.port()};
  slow.send("GET /metrics HTTP/1.1\r\nHo");  // and never more
  EXPECT_EQ(slow.rest(), "");
  Client idle{server.port()};
  EXPECT_EQ(idle.rest(), "");
}

TEST_F(HttpServerTest, TurnsAwayTheConnectionAboveTheLimit) {
  HttpLimits limits;
  limits.grace = std::chrono::hours{1};
  HttpServer& server = start(limits);
  std::list<Client> clients;
  for (int i = 0; i < 64; ++i) {
    clients.emplace_back(server.port());
    ASSERT_EQ(clients.back().ask(http::verb::get, "/-/healthy").result_int(), 200U);
  }
  {
    Client extra{server.port()};
    const auto answer = extra.answer();
    EXPECT_EQ(answer.result_int(), 503U);
    EXPECT_FALSE(answer.keep_alive());
    EXPECT_THAT(answer.body(), HasSubstr("64 are open"));
    EXPECT_EQ(extra.rest(), "");
  }
  // The others are still served; and a place that becomes free is used.
  EXPECT_EQ(clients.front().ask(http::verb::get, "/-/healthy").result_int(), 200U);
  clients.front().send("GET /-/healthy HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  clients.front().rest();
  clients.pop_front();
  unsigned status = 503;
  for (int tries = 0; tries < 1000 && status == 503; ++tries) {
    Client next{server.port()};
    next.send("GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\n");
    status = next.answer().result_int();
  }
  EXPECT_EQ(status, 200U);
}

TEST_F(HttpServerTest, ASilentClientGivesWayWhenAllConnectionsAreTaken) {
  HttpLimits limits;
  limits.connections = 2;
  limits.grace = std::chrono::milliseconds{0};
  limits.timeout = std::chrono::hours{1};
  HttpServer& server = start(limits);
  Client slow{server.port()};
  slow.send("GET /metrics HTTP/1.1\r\nHo");  // and never more
  Client first{server.port()};
  EXPECT_EQ(first.ask(http::verb::get, "/-/healthy").result_int(), 200U);
  Client second{server.port()};
  EXPECT_EQ(second.ask(http::verb::get, "/-/healthy").result_int(), 200U);
  EXPECT_EQ(slow.rest(), "");
  EXPECT_EQ(first.ask(http::verb::get, "/-/healthy").result_int(), 200U);
  // Now the second is the one that has waited the longest.
  Client third{server.port()};
  EXPECT_EQ(third.ask(http::verb::get, "/-/healthy").result_int(), 200U);
  EXPECT_EQ(second.rest(), "");
}

TEST_F(HttpServerTest, SurvivesASourceThatThrows) {
  class Broken : public SnapshotSource {
   public:
    Snapshot snapshot() const override {
      if (armed) throw std::runtime_error("no memory");
      return {};
    }
    std::atomic<bool> armed{false};
  } broken;
  HttpRoutes routes{broken, state_};
  HttpServer server{"127.0.0.1", 0};
  server.start(routes, std::chrono::milliseconds{1});
  broken.armed = true;
  Client client{server.port()};
  EXPECT_EQ(client.ask(http::verb::get, "/metrics").result_int(), 500U);
  EXPECT_EQ(client.ask(http::verb::get, "/-/healthy").result_int(), 200U);
}

TEST_F(HttpServerTest, SaysWhoMayHaveThePortAndHowToChooseAnother) {
  const HttpServer& first = start();
  try {
    HttpServer second{"127.0.0.1", first.port()};
    FAIL() << "two servers on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string{error.what()},
              "127.0.0.1:" + std::to_string(first.port()) +
                  ": address already in use: another qdiscsimd may be running; choose another with "
                  "http.listen or --listen");
  }
}

TEST_F(HttpServerTest, SaysWhatIsWrongWithAnAddress) {
  EXPECT_THROW(HttpServer("localhost", 0), std::runtime_error);
  try {
    HttpServer server{"192.0.2.1", 0};  // TEST-NET-1: nobody has it
    FAIL() << "bound to an address that is not there";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith("192.0.2.1:0: "),
                                    HasSubstr("this machine does not have that address")));
  }
}

// While it lives, the process may open no more than this many further files.
class FewFiles {
 public:
  // UndefinedBehaviorSanitizer looks at an object's vptr through a pipe, and takes the lack of a
  // descriptor for a bad vptr.
#ifdef __SANITIZE_ADDRESS__
  static constexpr bool kPossible = false;
#else
  static constexpr bool kPossible = true;
#endif
  static constexpr const char* kWhyNot = "UndefinedBehaviorSanitizer itself needs descriptors";

  explicit FewFiles(int more) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int lowest = dup(STDERR_FILENO);  // all below are taken
    close(lowest);
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(lowest + more);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewFiles() {
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0);
  }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(HttpServerTest, SaysThatTheLimitOfOpenFilesIsReached) {
  if (!FewFiles::kPossible) GTEST_SKIP() << FewFiles::kWhyNot;
  int failed = 0;
  for (int more = 0; more < 6; ++more) {
    const FewFiles few{more};
    try {
      const HttpServer server{"127.0.0.1", 0, {}};
    } catch (const std::runtime_error& error) {
      ++failed;
      EXPECT_THAT(error.what(), AllOf(StartsWith("127.0.0.1:0: "), HasSubstr("ulimit -n")));
    }
  }
  EXPECT_GT(failed, 0);
}

TEST_F(HttpServerTest, AcceptsAgainWhenThereAreDescriptorsAgain) {
  if (!FewFiles::kPossible) GTEST_SKIP() << FewFiles::kWhyNot;
  test::LogLines log;
  HttpLimits limits;
  limits.calm = std::chrono::milliseconds{0};
  const HttpServer& server = start(limits);
  Client client;  // its socket is open, but not connected
  {
    const FewFiles none{0};
    client.connect(server.port());
    // The system has taken the connection; the server cannot, says so and tries again.
    log.wait_for("cannot accept connections: too many open files: raise the limit");
  }
  EXPECT_EQ(client.ask(http::verb::get, "/-/healthy").result(), http::status::ok);
  log.wait_for("accepts connections again");
  server_->stop();
}

TEST_F(HttpServerTest, StopsWithOpenConnectionsAndCanBeStoppedTwice) {
  HttpServer& server = start();
  Client client{server.port()};
  client.ask(http::verb::get, "/-/healthy");
  server.stop();
  server.stop();
  server_.reset();
  EXPECT_EQ(client.rest(), "");
}

}  // namespace
}  // namespace qdiscsim
