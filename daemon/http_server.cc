#include "daemon/http_server.h"

#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "daemon/control_socket.h"
#include "daemon/http_session.h"
#include "daemon/thread_hints.h"

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Connections that are only being told "503" may be as many again; what comes beyond is closed at
// once, so that a flood costs neither memory nor descriptors.
constexpr std::size_t kRefusalsPerConnection = 1;

std::string print(const asio::ip::address& address, std::uint16_t port) {
  const std::string text = address.to_string();
  return (address.is_v6() ? "[" + text + "]" : text) + ":" + std::to_string(port);
}

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

bool out_of_descriptors(const error_code& error) {
  return error == asio::error::no_descriptors ||
         error == error_code{ENFILE, boost::system::system_category()};
}

[[noreturn]] void fail(const std::string& where, const error_code& error) {
  std::string hint = "choose another with http.listen or --listen";
  if (out_of_descriptors(error)) {
    hint = "raise the limit of open files (ulimit -n, or LimitNOFILE= of the unit)";
  } else if (error == asio::error::address_in_use) {
    hint = "another qdiscsimd may be running; " + hint;
  } else if (error == asio::error::access_denied) {
    hint = "ports below 1024 need a privilege; " + hint;
  } else if (error == error_code{EADDRNOTAVAIL, boost::system::system_category()}) {
    hint = "this machine does not have that address; " + hint;
  }
  throw std::runtime_error(where + ": " + lower_first(error.message()) + ": " + hint);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(const std::string& address, std::uint16_t port, HttpLimits limits) {
    backend_.limits = limits;
    backend_.change = [this](ControlRequest request, HttpBackend::Answer answer) {
      change(std::move(request), std::move(answer));
    };
    error_code error;
    const auto ip = asio::ip::make_address(address, error);
    if (error) {
      throw std::runtime_error(address +
                               ": not an IPv4 or IPv6 address: choose another with "
                               "http.listen or --listen");
    }
    const tcp::endpoint endpoint{ip, port};
    const std::string where = print(ip, port);
    if (acceptor_.open(endpoint.protocol(), error)) fail(where, error);
    if (acceptor_.set_option(tcp::acceptor::reuse_address{true}, error)) fail(where, error);
    if (acceptor_.bind(endpoint, error)) fail(where, error);
    if (acceptor_.listen(asio::socket_base::max_listen_connections, error)) fail(where, error);
    endpoint_ = acceptor_.local_endpoint();
  }

  ~Impl() { stop(); }

  const tcp::endpoint& endpoint() const noexcept { return endpoint_; }

  void listen_for_changes(const std::string& path) { control_.emplace(context_, path); }
  void on_change(Change change) { change_ = std::move(change); }

  void start(HttpRoutes& routes, std::chrono::milliseconds sampling,
             std::chrono::milliseconds beat) {
    backend_.routes = &routes;
    backend_.events = &events_;
    events_.set_source([&routes] { return routes.summary_event(); });
    sampling_ = sampling;
    beat_ = beat;
    accept(acceptor_, tcp_);
    if (control_) accept(control_->acceptor(), unix_);
    sample();
    next_beat();
    thread_ = std::thread{[this] { run(); }};
  }

  void stop() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    error_code ignored;
    acceptor_.close(ignored);
    control_.reset();
    unanswered_.clear();
    events_.clear();
  }

 private:
  // A handler that throws must not take the daemon with it.
  void run() noexcept {
    prefer_latency("http");
    for (;;) {
      try {
        context_.run();
        return;
      } catch (const std::exception& failure) {
        spdlog::error("http: {}", failure.what());
      }
    }
  }

  // The connections of one listener, whose limits are its own: who floods TCP does not keep anybody
  // from the UNIX socket.
  struct Clients {
    bool may_change;
    HttpSessions serving{};
    HttpSessions refusing{};  // being turned away
    // The system would not give us a connection, last at: said once, however often it happens.
    std::optional<std::chrono::steady_clock::time_point> refused{};
  };

  template <class Acceptor>
  void accept(Acceptor& acceptor, Clients& clients) {
    acceptor.async_accept([&](error_code error, typename Acceptor::protocol_type::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        // Most likely out of descriptors: trying again at once would burn the CPU.
        if (!clients.refused) {
          spdlog::warn("http: cannot accept connections: {}{}; tried again every 100 ms",
                       lower_first(error.message()),
                       out_of_descriptors(error)
                           ? ": raise the limit of open files (ulimit -n, or LimitNOFILE=)"
                           : "");
        }
        clients.refused = std::chrono::steady_clock::now();
        auto pause = std::make_shared<asio::steady_timer>(context_, std::chrono::milliseconds{100});
        pause->async_wait(
            [this, pause, &acceptor, &clients](error_code) { accept(acceptor, clients); });
        return;
      }
      if (clients.refused &&
          std::chrono::steady_clock::now() - *clients.refused >= backend_.limits.calm) {
        clients.refused.reset();
        spdlog::info("http: accepts connections again");
      }
      if constexpr (std::is_same_v<Acceptor, tcp::acceptor>) {
        error_code ignored;
        socket.set_option(tcp::no_delay{true}, ignored);
      }
      take(std::move(socket), clients);
      accept(acceptor, clients);
    });
  }

  void take(HttpSession::Protocol::socket socket, Clients& clients) {
    const std::size_t most = backend_.limits.connections;
    const auto session = [&](HttpSessions& open) {
      return std::make_shared<HttpSession>(std::move(socket), backend_, clients.may_change, open);
    };
    if (clients.serving.size() < most || HttpSession::give_one_up(clients.serving)) {
      session(clients.serving)->serve();
    } else if (clients.refusing.size() < most * kRefusalsPerConnection) {
      session(clients.refusing)->refuse();
    }
  }

  // The answers wait here, on the server's thread, for what another thread makes of the requests.
  void change(ControlRequest request, HttpBackend::Answer answer) {
    const std::uint64_t number = ++changes_;
    unanswered_.emplace(number, std::move(answer));
    change_(std::move(request), [this, number](HttpReply reply) {
      asio::post(context_, [this, number, reply = std::move(reply)]() mutable {
        if (auto waiting = unanswered_.extract(number)) waiting.mapped()(std::move(reply));
      });
    });
  }

  void sample() {
    backend_.routes->sample();
    sampler_.expires_after(sampling_);
    sampler_.async_wait([this](error_code error) {
      if (!error) sample();
    });
  }

  // First the next one, so that a beat that throws is not the last.
  void next_beat() {
    beats_.expires_after(beat_);
    beats_.async_wait([this](error_code error) {
      if (error) return;
      next_beat();
      events_.beat();
    });
  }

  HttpBackend backend_;
  EventStreams events_;
  Change change_;
  std::chrono::milliseconds sampling_{};
  std::chrono::milliseconds beat_{};
  tcp::endpoint endpoint_;
  Clients tcp_{.may_change = false};
  Clients unix_{.may_change = true};
  std::uint64_t changes_ = 0;
  // Last, so that its destruction ends the sessions while the counts above still exist.
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  std::optional<ControlSocket> control_;
  std::map<std::uint64_t, HttpBackend::Answer> unanswered_;  // by number; empty after stop()
  asio::steady_timer sampler_{context_};
  asio::steady_timer beats_{context_};
  std::thread thread_;
};

HttpServer::HttpServer(const std::string& address, std::uint16_t port, HttpLimits limits) try
    : impl_{std::make_unique<Impl>(address, port, limits)} {
} catch (const boost::system::system_error& failure) {  // of the io_context itself
  fail(address + ":" + std::to_string(port), failure.code());
}
HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
  return print(impl_->endpoint().address(), impl_->endpoint().port());
}
std::uint16_t HttpServer::port() const {
  return impl_->endpoint().port();
}

void HttpServer::listen_for_changes(const std::string& path) {
  impl_->listen_for_changes(path);
}
void HttpServer::on_change(Change change) {
  impl_->on_change(std::move(change));
}

void HttpServer::start(HttpRoutes& routes, std::chrono::milliseconds sampling,
                       std::chrono::milliseconds beat) {
  impl_->start(routes, sampling, beat);
}
void HttpServer::stop() {
  impl_->stop();
}

}  // namespace qdiscsim
