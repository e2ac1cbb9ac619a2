// SdNotifier: tells systemd how the daemon is, with one datagram to $NOTIFY_SOCKET a message
// (Type=notify or notify-reload). Does nothing when the variable is not set. Protocol:
// sd_notify(3).
//
// The control thread only. Nothing throws: a message that cannot be sent is logged once as a
// warning, and the daemon goes on.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace qdiscsim {

class SdNotifier {
 public:
  // socket: a path, or "@name" in the abstract name space; empty = do nothing.
  // watchdog: how often systemd wants to hear watchdog(); nullopt = never.
  explicit SdNotifier(std::string socket = {},
                      std::optional<std::chrono::microseconds> watchdog = std::nullopt)
      : socket_{std::move(socket)}, watchdog_{watchdog} {}

  // From NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID; a watchdog meant for another process does
  // not count.
  static SdNotifier from_environment();

  bool enabled() const noexcept { return !socket_.empty(); }
  // Half of systemd's limit: how often to call watchdog().
  std::optional<std::chrono::microseconds> watchdog_period() const noexcept;

  void ready(std::string_view status) { send("READY=1\nSTATUS=" + std::string{status}); }
  void status(std::string_view text) { send("STATUS=" + std::string{text}); }
  void reloading();  // follow it with ready()
  void stopping(std::string_view status) { send("STOPPING=1\nSTATUS=" + std::string{status}); }
  void watchdog() { send("WATCHDOG=1"); }

 private:
  void send(const std::string& message) noexcept;

  std::string socket_;
  std::optional<std::chrono::microseconds> watchdog_;
  bool complained_ = false;
};

}  // namespace qdiscsim
