// HttpSession: one connection, from accept to close. It keeps itself alive through its pending
// operation; there is always exactly one, while the control thread works on a change too. Runs on
// the server's thread only.
#pragma once

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>

#include "daemon/event_streams.h"
#include "daemon/http_routes.h"
#include "daemon/http_server.h"

namespace qdiscsim {

// What the sessions of a server share.
struct HttpBackend {
  using Answer = std::function<void(HttpReply)>;

  HttpRoutes* routes = nullptr;
  EventStreams* events = nullptr;
  HttpLimits limits;
  // A change, to be made elsewhere; calls the answer once, on the server's thread, or never when
  // the server stops.
  std::function<void(ControlRequest, Answer)> change;
};

class HttpSession;

// The sessions of one listener, in the order in which their last wait for a request began.
using HttpSessions = std::list<HttpSession*>;

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Protocol = boost::asio::generic::stream_protocol;

  // may_change: the client may change things. open lists the session from the constructor to the
  // destructor, or until it is given up.
  HttpSession(Protocol::socket socket, const HttpBackend& backend, bool may_change,
              HttpSessions& open);
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  ~HttpSession();

  // Serves requests until the client closes, asks for it, is too slow or breaks a limit.
  void serve() { read(); }

  // Closes the session that has waited for a whole request the longest, if that is limits.grace or
  // more. False: there is none.
  static bool give_one_up(const HttpSessions& open);

  // Answers 503 to whatever was asked and closes: there are too many connections.
  void refuse();

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;

  void read();
  void on_read(boost::beast::error_code error);
  void reply(HttpReply reply, bool keep_alive);
  void on_write(boost::beast::error_code error);
  void linger();

  std::size_t body_limit() const noexcept;
  void give_up();
  void change(std::string_view path);
  void stream_events();

  boost::beast::basic_stream<Protocol> stream_;
  const HttpBackend& backend_;
  const bool may_change_;
  HttpSessions& open_;
  std::optional<HttpSessions::iterator> place_;  // in open_; none once given up
  std::optional<std::chrono::steady_clock::time_point> waits_since_;  // for a whole request
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;  // a new one for each request
  bool head_ = false;             // the request is a HEAD
  bool keep_alive_ = false;       // what the request asks for
  unsigned version_ = 11;
  std::optional<Response> response_;
  std::array<char, 1024> discarded_{};
};

}  // namespace qdiscsim
