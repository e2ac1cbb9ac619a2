#include "daemon/http_session.h"

#include <spdlog/spdlog.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <sstream>
#include <utility>

#include "daemon/http_problem.h"
#include "daemon/version.h"

namespace qdiscsim {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

// How long a closing connection still swallows what the client sends: a socket closed over unread
// bytes sends a reset, and the client would lose the reply that explains.
constexpr std::chrono::seconds kLinger{1};

HttpReply plain(http::status status, std::string body) {
  HttpReply reply;
  reply.status = static_cast<unsigned>(status);
  reply.body = std::move(body);
  return reply;
}

// The reply to a request that could not be read; none when the client is gone or said nothing.
std::optional<HttpReply> reply_to(const beast::error_code& error, const HttpLimits& limits,
                                  std::size_t body_limit) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return plain(http::status::request_header_fields_too_large,
                 "request header above " + std::to_string(limits.header_bytes) + " bytes\n");
  }
  if (error == http::error::body_limit) {
    return plain(http::status::payload_too_large,
                 "request body above " + std::to_string(body_limit) + " bytes\n");
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error == beast::error::timeout) {
    return std::nullopt;
  }
  if (error.category() == make_error_code(http::error::bad_method).category()) {
    return plain(http::status::bad_request, "not an HTTP request: " + error.message() + "\n");
  }
  return std::nullopt;  // a socket error
}

template <class Response>
void set_common_fields(Response& response, const std::string& content_type) {
  response.set(http::field::server, std::string{"qdiscsimd/"} + kVersion);
  response.set(http::field::content_type, content_type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
}

}  // namespace

HttpSession::HttpSession(Protocol::socket socket, const HttpBackend& backend, bool may_change,
                         HttpSessions& open)
    : stream_{std::move(socket)},
      backend_{backend},
      may_change_{may_change},
      open_{open},
      // Room for one header and one body, and for a pipelined request's start.
      buffer_{backend.limits.header_bytes + body_limit() + 1024} {
  place_ = open_.insert(open_.end(), this);
}

HttpSession::~HttpSession() {
  if (place_) open_.erase(*place_);
}

bool HttpSession::give_one_up(const HttpSessions& open) {
  for (HttpSession* session : open) {
    if (!session->waits_since_) continue;
    if (std::chrono::steady_clock::now() - *session->waits_since_ < session->backend_.limits.grace)
      return false;  // and those behind it have waited less
    session->give_up();
    return true;
  }
  return false;
}

// The pending read ends with an error, and with it the session; its place is free at once.
void HttpSession::give_up() {
  open_.erase(*std::exchange(place_, std::nullopt));
  waits_since_.reset();
  stream_.close();
}

std::size_t HttpSession::body_limit() const noexcept {
  return may_change_ ? backend_.limits.change_bytes : backend_.limits.body_bytes;
}

void HttpSession::read() {
  waits_since_ = std::chrono::steady_clock::now();
  open_.splice(open_.end(), open_, *place_);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(backend_.limits.header_bytes));
  parser_->body_limit(body_limit());
  stream_.expires_after(backend_.limits.timeout);  // for the whole request, however it trickles in
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_read(error); });
}

void HttpSession::on_read(beast::error_code error) {
  head_ = false;
  waits_since_.reset();
  if (!place_) return;  // given up
  if (error) {
    version_ = 11;
    if (auto explanation = reply_to(error, backend_.limits, body_limit()))
      reply(std::move(*explanation), false);
    return;
  }
  const auto& request = parser_->get();
  head_ = request.method() == http::verb::head;
  version_ = request.version();
  keep_alive_ = request.keep_alive();
  if (const std::string_view path = path_of({request.target().data(), request.target().size()});
      may_change_ && is_control_path(path)) {
    change(path);
    return;
  }
  if (request.method() == http::verb::get &&
      path_of({request.target().data(), request.target().size()}) == kEventsPath) {
    stream_events();
    return;
  }
  const boost::beast::string_view accept = request[http::field::accept];
  HttpReply answer;
  try {
    answer = backend_.routes->handle(
        {.method = {request.method_string().data(), request.method_string().size()},
         .target = {request.target().data(), request.target().size()},
         .accept = {accept.data(), accept.size()}});
  } catch (const std::exception& failure) {
    spdlog::error("http: {} failed: {}",
                  std::string_view{request.target().data(), request.target().size()},
                  failure.what());
    answer = plain(http::status::internal_server_error, "internal error, see the log\n");
  }
  reply(std::move(answer), keep_alive_);
}

void HttpSession::change(std::string_view path) {
  const auto& request = parser_->get();
  const auto text = [](boost::beast::string_view view) {
    return std::string{view.data(), view.size()};
  };
  backend_.change({.method = text(request.method_string()),
                   .path = std::string{path},
                   .content_type = text(request[http::field::content_type]),
                   .body = request.body()},
                  [self = shared_from_this()](HttpReply answer) {
                    self->reply(std::move(answer), self->keep_alive_);
                  });
}

// From here on the connection is the stream's, and no session is open for it any more.
void HttpSession::stream_events() {
  EventStreams& events = *backend_.events;
  const HttpLimits& limits = backend_.limits;
  if (events.open(may_change_) >= limits.event_streams) {
    reply(problem_reply({.status = 503,
                         .type = "too-many-event-streams",
                         .title = "Too many event streams",
                         .detail = std::to_string(limits.event_streams) +
                                   " are open: close a page that shows this daemon, or ask for "
                                   "/api/v1/summary once a second",
                         .instance = kEventsPath}),
          keep_alive_);
    return;
  }
  http::response<http::empty_body> head{http::status::ok, version_};
  set_common_fields(head, std::string{kEventsType});
  head.keep_alive(false);  // its end is the connection's
  std::ostringstream text;
  text << head.base();
  events.take(std::move(stream_), std::move(text).str(), may_change_, limits.timeout);
}

void HttpSession::reply(HttpReply reply, bool keep_alive) {
  response_.emplace(static_cast<http::status>(reply.status), version_);
  Response& response = *response_;
  set_common_fields(response, reply.content_type);
  if (!reply.security_policy.empty()) {
    response.set("Content-Security-Policy", reply.security_policy);
  }
  if (!reply.allow.empty()) response.set(http::field::allow, reply.allow);
  response.keep_alive(keep_alive);
  // A stream has no length, so the reply to its HEAD has none.
  if (reply.content_type != kEventsType) response.content_length(reply.body.size());
  if (!head_) response.body() = std::move(reply.body);
  stream_.expires_after(backend_.limits.timeout);
  http::async_write(
      stream_, response,
      [self = shared_from_this()](beast::error_code error, std::size_t) { self->on_write(error); });
}

void HttpSession::on_write(beast::error_code error) {
  if (error) return;
  if (response_->keep_alive()) {
    read();
    return;
  }
  stream_.socket().shutdown(Protocol::socket::shutdown_send, error);
  stream_.expires_after(kLinger);  // once: swallowing does not prolong it
  linger();
}

void HttpSession::linger() {
  stream_.async_read_some(boost::asio::buffer(discarded_),
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (!error) self->linger();
                          });
}

void HttpSession::refuse() {
  reply(plain(http::status::service_unavailable,
              "too many connections: " + std::to_string(backend_.limits.connections) +
                  " are open; close some or try again\n"),
        false);
}

}  // namespace qdiscsim
