#include "daemon/sd_notify.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "base/clock.h"

namespace qdiscsim {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
  return value;
}

}  // namespace

SdNotifier SdNotifier::from_environment() {
  std::string socket = variable("NOTIFY_SOCKET");
  if (!socket.empty() && socket[0] != '/' && socket[0] != '@') socket.clear();
  std::optional<std::chrono::microseconds> watchdog;
  const std::string pid = variable("WATCHDOG_PID");
  if (pid.empty() || pid == std::to_string(getpid())) {
    if (const auto usec = number(variable("WATCHDOG_USEC"))) {
      watchdog = std::chrono::microseconds{*usec};
    }
  }
  return SdNotifier{std::move(socket), watchdog};
}

std::optional<std::chrono::microseconds> SdNotifier::watchdog_period() const noexcept {
  if (!enabled() || !watchdog_) return std::nullopt;
  return *watchdog_ / 2;
}

// systemd compares the time stamp with its own clock to tell this reload from an earlier one.
void SdNotifier::reloading() {
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_ns() / kMicrosecond));
}

void SdNotifier::send(const std::string& message) noexcept {
  if (!enabled()) return;
  try {
    namespace asio = boost::asio;
    using asio::local::datagram_protocol;
    std::string name = socket_;
    if (name[0] == '@') name[0] = '\0';
    asio::io_context context;
    datagram_protocol::socket socket{context};
    socket.open();
    socket.non_blocking(true);
    socket.send_to(asio::buffer(message), datagram_protocol::endpoint{name});
  } catch (const std::exception& error) {
    if (!complained_) {
      spdlog::warn("cannot notify systemd through NOTIFY_SOCKET={}: {}", socket_, error.what());
    }
    complained_ = true;
  }
}

}  // namespace qdiscsim
