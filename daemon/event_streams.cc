#include "daemon/event_streams.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace qdiscsim {
namespace {

namespace asio = boost::asio;
using boost::beast::error_code;

// What the system may keep of what a reader has not taken; it doubles the number.
constexpr int kSendBuffer = 65'536;

// How long a browser waits until it connects again.
constexpr std::string_view kRetry = "retry: 1000\n\n";

}  // namespace

// Kept by the set and by its pending operations: a read that only waits for the end, and at most
// one write.
class EventStreams::Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(EventStreams& all, Socket socket, bool may_change, std::chrono::milliseconds timeout)
      : all_{all}, socket_{std::move(socket)}, may_change_{may_change}, timeout_{timeout} {}

  bool may_change() const noexcept { return may_change_; }

  void start(std::string head) {
    error_code ignored;
    socket_.socket().set_option(asio::socket_base::send_buffer_size{kSendBuffer}, ignored);
    socket_.expires_never();
    wait_for_the_end();
    send(std::make_shared<const std::string>(std::move(head)));
  }

  void send(Event event) {
    if (sending_) return;
    sending_ = std::move(event);
    socket_.expires_after(timeout_);  // of the write: the read is under way
    asio::async_write(socket_, asio::buffer(*sending_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        self->sending_.reset();
                        if (error) self->end();
                      });
  }

  void close() {
    error_code ignored;
    socket_.socket().close(ignored);
  }

 private:
  void wait_for_the_end() {
    socket_.async_read_some(asio::buffer(discarded_),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error) {
                                self->end();
                              } else {
                                self->wait_for_the_end();
                              }
                            });
  }

  void end() {
    close();
    if (all_.streams_.erase(shared_from_this()) != 0) --all_.open_[may_change_ ? 1 : 0];
  }

  EventStreams& all_;
  Socket socket_;
  const bool may_change_;
  const std::chrono::milliseconds timeout_;
  Event sending_;  // what is on its way; none = ready for the next
  std::array<char, 256> discarded_{};
};

void EventStreams::take(Socket socket, std::string head, bool may_change,
                        std::chrono::milliseconds timeout) {
  head += kRetry;
  head += make_event_();
  const auto stream = std::make_shared<Stream>(*this, std::move(socket), may_change, timeout);
  streams_.insert(stream);
  ++open_[may_change ? 1 : 0];
  stream->start(std::move(head));
}

void EventStreams::beat() {
  if (streams_.empty()) return;
  const Event event = std::make_shared<const std::string>(make_event_());
  for (const auto& stream : streams_) stream->send(event);
}

void EventStreams::clear() {
  for (const auto& stream : streams_) stream->close();
  streams_.clear();
  open_[0] = open_[1] = 0;
}

}  // namespace qdiscsim
