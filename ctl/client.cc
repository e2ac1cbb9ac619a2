#include "ctl/client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"
#include "ctl/problem.h"

namespace qdiscsim::ctl {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;

constexpr std::size_t kLargestAnswer = std::size_t{64} << 20U;

// A connection whose every step has a time limit.
class Connection {
 public:
  explicit Connection(std::chrono::milliseconds timeout) : timeout_{timeout} {}

  error_code connect(const Address& address) {
    if (!address.socket.empty()) {
      if (address.socket.size() >= sizeof(sockaddr_un::sun_path)) {
        return asio::error::make_error_code(asio::error::name_too_long);
      }
      return connect_to(Protocol::endpoint{asio::local::stream_protocol::endpoint{address.socket}});
    }
    error_code error;
    asio::ip::tcp::resolver resolver{context_};
    const auto found = resolver.resolve(address.host, address.port, error);
    if (error) return error;
    error = asio::error::make_error_code(asio::error::host_not_found);
    for (const auto& entry : found) {
      error = connect_to(Protocol::endpoint{entry.endpoint()});
      if (!error) break;
    }
    return error;
  }

  error_code write(const http::request<http::string_body>& request) {
    return step([&](auto done) { http::async_write(stream_, request, std::move(done)); });
  }

  error_code read(http::response_parser<http::string_body>& parser) {
    return step([&](auto done) { http::async_read(stream_, buffer_, parser, std::move(done)); });
  }

 private:
  error_code connect_to(const Protocol::endpoint& endpoint) {
    stream_.close();
    return step([&](auto done) { stream_.async_connect(endpoint, std::move(done)); });
  }

  template <class Start>
  error_code step(Start start) {
    error_code result = asio::error::operation_aborted;
    stream_.expires_after(timeout_);
    start([&result](error_code error, auto...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  std::chrono::milliseconds timeout_;
  asio::io_context context_;
  beast::basic_stream<Protocol> stream_{context_};
  beast::flat_buffer buffer_;
};

// What failed at one address, and what may be done about it.
std::string reason_at(const Address& address, const error_code& error) {
  std::string why = error == beast::error::timeout ? "no answer in time" : error.message();
  if (!address.socket.empty()) {
    if (error == boost::system::errc::no_such_file_or_directory) why = "is not there";
    if (error == boost::system::errc::permission_denied) {
      why = "permission denied: your user must be in the socket's group (ls -l " + address.socket +
            ")";
    }
    if (error == asio::error::connection_refused) why = "nobody listens: its daemon is gone";
  }
  return address.text() + ": " + why;
}

[[noreturn]] void unreachable(const std::vector<std::string>& reasons, bool only_rights) {
  std::string text = "no qdiscsimd answers; tried\n";
  for (const std::string& reason : reasons) text += "  " + reason + '\n';
  text +=
      "is it running (systemctl status qdiscsim)? Its log names its socket and its address; name "
      "one with --socket PATH or --url URL";
  throw Failure{only_rights ? kExitNoRight : kExitUnreachable, text};
}

}  // namespace

Client::Client(std::vector<Address> addresses, std::chrono::milliseconds timeout)
    : addresses_{std::move(addresses)}, timeout_{timeout} {}

Answer Client::send(const std::string& method, const std::string& target, const std::string& body) {
  std::vector<std::string> reasons;
  bool only_rights = true;
  for (const Address& address : addresses_) {
    Connection connection{timeout_};
    if (const error_code error = connection.connect(address)) {
      reasons.push_back(reason_at(address, error));
      only_rights = only_rights && error == boost::system::errc::permission_denied;
      continue;
    }
    http::request<http::string_body> request;
    request.method_string(method);
    request.target(target);
    request.set(http::field::host, address.host.empty() ? "localhost" : address.host);
    request.set(http::field::user_agent, "qdiscsimctl");
    request.keep_alive(false);
    if (!body.empty()) request.set(http::field::content_type, "application/json");
    request.body() = body;
    request.prepare_payload();
    http::response_parser<http::string_body> parser;
    parser.body_limit(kLargestAnswer);
    // An answer may come before the request has been taken whole.
    connection.write(request);
    if (const error_code error = connection.read(parser)) {
      const bool silent = error == beast::error::timeout || error == http::error::end_of_stream ||
                          error == asio::error::connection_reset;
      throw Failure{silent ? kExitUnreachable : kExitProtocol,
                    address.text() + ": " + method + ' ' + target + ": " +
                        (error == beast::error::timeout ? "no answer in time" : error.message()) +
                        (silent ? "; is the daemon stopping, or stalled?"
                                : "; is it a qdiscsimd that listens there?")};
    }
    auto& response = parser.get();
    Answer answer{response.result_int(), std::string{response[http::field::content_type]},
                  std::move(response.body())};
    const Address used = address;
    addresses_ = {used};
    return answer;
  }
  unreachable(reasons, only_rights);
}

std::string Client::get(const std::string& target) {
  Answer answer = send("GET", target);
  if (answer.status == 200) return std::move(answer.body);
  throw failure_of(answer, "GET " + target, address());
}

}  // namespace qdiscsim::ctl
