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
#include <functional>
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

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Protocol = boost::asio::generic::stream_protocol;

  // may_change: the client may change things. open counts the sessions that exist: it goes up with
  // the constructor, down with the destructor.
  HttpSession(Protocol::socket socket, const HttpBackend& backend, bool may_change,
              std::size_t& open);
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  ~HttpSession() { --open_; }

  // Serves requests until the client closes, asks for it, is too slow or breaks a limit.
  void serve() { read(); }

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
  void change(std::string_view path);
  void stream_events();

  boost::beast::basic_stream<Protocol> stream_;
  const HttpBackend& backend_;
  const bool may_change_;
  std::size_t& open_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;  // a new one for each request
  bool head_ = false;             // the request is a HEAD
  bool keep_alive_ = false;       // what the request asks for
  unsigned version_ = 11;
  std::optional<Response> response_;
  std::array<char, 1024> discarded_{};
};

}  // namespace qdiscsim
