// EventStreams: the clients of /api/v1/events, which are sent the summary once a second as
// Server-Sent Events. Without threads and without a timer: whoever owns it calls beat(), on the
// server's thread, as everything here.
//
// A stream costs the same however slow its reader is: while an event is on its way the next ones
// are left out, and what the system keeps for the socket is bounded. A reader that takes nothing
// for HttpLimits::timeout is closed.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

namespace qdiscsim {

class EventStreams {
 public:
  using Socket = boost::beast::basic_stream<boost::asio::generic::stream_protocol>;
  using Event = std::shared_ptr<const std::string>;

  // make_event: one event as it goes over the wire; called once a beat, and for each new client.
  void set_source(std::function<std::string()> make_event) { make_event_ = std::move(make_event); }

  // How many clients this listener (may_change: the UNIX socket) has.
  std::size_t open(bool may_change) const noexcept { return open_[may_change ? 1 : 0]; }

  // Takes over a connection: sends `head` (the HTTP header), the time after which a browser comes
  // back, a first event, and one each beat() until the client goes.
  void take(Socket socket, std::string head, bool may_change, std::chrono::milliseconds timeout);

  // One event to everybody who has taken the last one. Nothing is made when nobody listens.
  void beat();

  // Closes all; before the io_context goes.
  void clear();

 private:
  class Stream;

  std::function<std::string()> make_event_;
  std::size_t open_[2] = {};
  std::unordered_set<std::shared_ptr<Stream>> streams_;
};

}  // namespace qdiscsim
