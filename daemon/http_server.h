// HttpServer: HTTP/1.1 on Boost.Beast, over TCP and over a UNIX socket whose clients may change
// things; every connection on one thread of its own, so that a scrape never waits for anything but
// the CPU.
//
// Limits, against clients that are slow, greedy or lost: see HttpLimits. A client that breaks one
// gets a status that says so (408 is not sent: a silent client is just closed) and is closed. When
// all connections are taken, the one whose request has been awaited the longest gives way, so that
// silent clients do not keep scrapes out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/control_routes.h"
#include "daemon/http_routes.h"

namespace qdiscsim {

struct HttpLimits {
  std::size_t header_bytes = 8192;            // more: 431
  std::size_t body_bytes = 1024;              // more: 413
  std::size_t change_bytes = 65'536;          // the same, of whom may change things
  std::size_t connections = 64;               // more at the same time: 503; of each listener
  std::size_t event_streams = 16;             // the same, and beside the connections
  std::chrono::milliseconds timeout{10'000};  // for a whole request to come, and for a reply to go
  std::chrono::milliseconds grace{1000};      // the same, where another client needs the place
  std::chrono::milliseconds calm{10'000};  // without a refusal by the system until the log says so
};

class HttpServer {
 public:
  // Binds and listens at once, so that a failure shows before anything else starts. address: IPv4
  // or IPv6, no name; port 0 lets the system choose.
  // Throws std::runtime_error "ADDRESS:PORT: what, way out".
  HttpServer(const std::string& address, std::uint16_t port, HttpLimits limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // stop()

  // "127.0.0.1:9713", "[::1]:9713": with the real port.
  std::string address() const;
  std::uint16_t port() const;

  // Listens on a UNIX socket, too (daemon/control_socket.h). Before start(). Throws
  // std::runtime_error.
  void listen_for_changes(const std::string& path);

  // Makes a change on another thread; calls `answer` once, from any thread, or never.
  using Change = std::function<void(ControlRequest, std::function<void(HttpReply)> answer)>;
  // What is called, on the server's thread, for requests that came over the UNIX socket. Before
  // start().
  void on_change(Change change);

  // Starts the thread. routes is used on that thread alone until stop() returns; each `sampling`
  // its history grows by one snapshot, and each `beat` the event streams get an event. Call once.
  void start(HttpRoutes& routes,
             std::chrono::milliseconds sampling = std::chrono::milliseconds{250},
             std::chrono::milliseconds beat = std::chrono::seconds{1});

  // Closes every connection and joins the thread. A second call does nothing.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qdiscsim
