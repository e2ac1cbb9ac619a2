// The summary as Server-Sent Events: what a client reads, who is turned away, and that readers who
// take nothing hold up nobody.
#include "daemon/event_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <istream>
#include <list>
#include <nlohmann/json.hpp>
#include <thread>

#include "daemon/http_server.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds kNever{3'600'000};

// A client that reads piece by piece.
class Reader {
 public:
  Reader(std::uint16_t port, const std::string& request) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
    asio::write(socket_, asio::buffer(request + "\r\n\r\n"));
  }
  explicit Reader(std::uint16_t port) : Reader{port, "GET /api/v1/events HTTP/1.1\r\nHost: a"} {}

  // Up to and with the next empty line, whose line breaks are `ends`; what came before the server
  // closed, when it does.
  std::string part(const std::string& ends = "\n\n") {
    boost::system::error_code error;
    const std::size_t size = asio::read_until(socket_, bytes_, ends, error);
    std::string text(error ? bytes_.size() : size, '\0');
    std::istream{&bytes_}.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
  }

  std::string rest() {
    std::string text;
    for (std::string more = part(); !more.empty(); more = part()) text += more;
    return text;
  }

 private:
  asio::io_context context_;
  asio::ip::tcp::socket socket_{context_};
  asio::streambuf bytes_;
};

class EventStreamsTest : public ::testing::Test {
 protected:
  std::uint16_t start(std::chrono::milliseconds beat, HttpLimits limits = {}) {
    server_.emplace("127.0.0.1", static_cast<std::uint16_t>(0), limits);
    server_->start(routes_, std::chrono::milliseconds{250}, beat);
    return server_->port();
  }

  FakeSource source_;
  DaemonState state_;
  HttpRoutes routes_{source_, state_};
  std::optional<HttpServer> server_;
};

TEST_F(EventStreamsTest, SendTheSummaryAtOnceAndWithEachBeat) {
  Reader reader{start(std::chrono::milliseconds{1})};
  const std::string head = reader.part("\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nCache-Control: no-store\r\n"));
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  EXPECT_EQ(reader.part(), "retry: 1000\n\n");
  for (int i = 0; i < 5; ++i) {
    const std::string event = reader.part();
    const std::string before = "event: summary\ndata: ";
    ASSERT_THAT(event, StartsWith(before));
    const std::string data = event.substr(before.size(), event.size() - before.size() - 2);
    EXPECT_EQ(data.find('\n'), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(data).at("devices").at(0).at("name"), "eth0");
  }
}

TEST_F(EventStreamsTest, AnswerHeadAndOtherMethodsLikeAnyAddress) {
  const std::uint16_t port = start(kNever);
  Reader head{port, "HEAD /api/v1/events HTTP/1.1\r\nHost: a"};
  EXPECT_THAT(head.part("\r\n\r\n"), HasSubstr("\r\nContent-Type: text/event-stream\r\n"));
  Reader post{port, "POST /api/v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 0"};
  EXPECT_THAT(post.part("\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  Reader old{port, "GET /api/v1/events?x=1 HTTP/1.0"};
  EXPECT_THAT(old.part("\r\n\r\n"), StartsWith("HTTP/1.0 200 "));
}

TEST_F(EventStreamsTest, TurnAwayTheOneAboveTheLimitAndKeepNoScrapeWaiting) {
  HttpLimits limits;
  limits.event_streams = 3;
  limits.connections = 1;
  const std::uint16_t port = start(kNever, limits);
  std::list<Reader> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back(port);
    ASSERT_THAT(readers.back().part("\r\n\r\n"), HasSubstr(" 200 OK\r\n"));
  }
  {
    Reader more{port, "GET /api/v1/events HTTP/1.1\r\nHost: a\r\nConnection: close"};
    const std::string answer = more.rest();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(answer, HasSubstr("application/problem+json"));
    EXPECT_THAT(answer, HasSubstr("3 are open: close a page"));
  }
  std::string answer;
  for (int tries = 0; tries < 1000 && !answer.starts_with("HTTP/1.1 200"); ++tries) {
    Reader scrape{port, "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close"};
    answer = scrape.rest();
  }
  EXPECT_THAT(answer, HasSubstr("\nqdiscsim_scrapes_total "));
  // Who goes makes room.
  readers.pop_front();
  for (int tries = 0; tries < 1000; ++tries) {
    Reader next{port};
    answer = next.part("\r\n\r\n");
    if (answer.starts_with("HTTP/1.1 200")) break;
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

TEST_F(EventStreamsTest, LeaveOutEventsForAReaderWhoTakesNoneAndCloseItInTheEnd) {
  HttpLimits limits;
  limits.timeout = std::chrono::milliseconds{50};
  limits.event_streams = 1;
  const std::uint16_t port = start(std::chrono::milliseconds{1}, limits);
  Reader slow{port};  // and reads nothing: its buffers fill, then nothing is taken for 50 ms
  std::string answer;
  for (int tries = 0; tries < 2000; ++tries) {
    Reader next{port, "GET /api/v1/events HTTP/1.1\r\nHost: a\r\nConnection: close"};
    answer = next.part("\r\n\r\n");
    if (answer.starts_with("HTTP/1.1 200")) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{30});
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

TEST_F(EventStreamsTest, EndWithTheServer) {
  Reader reader{start(std::chrono::milliseconds{1})};
  reader.part();
  server_->stop();
  server_.reset();
  EXPECT_THAT(reader.rest(), HasSubstr("event: summary\n"));
}

}  // namespace
}  // namespace qdiscsim
