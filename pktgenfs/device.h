// One pktgen device: what was added to a thread, with its settings, its run and its result.
// Files guards it; nothing here locks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "pktgenfs/backend.h"
#include "pktgenfs/rules.h"
#include "pktgenfs/settings.h"

namespace qdiscsim::pktgenfs {

// Of a device's present or last run.
struct RunCounters {
  Nanoseconds started = 0;
  Nanoseconds stopped = 0;
  Nanoseconds idle = 0;
  std::uint64_t sofar = 0;
  std::uint64_t errors = 0;
  std::uint32_t sequence = 0;  // 1 and more since the first start
  std::uint64_t flows = 0;
  std::array<std::uint64_t, DeviceSettings::kMostImix> imix{};
};

class Device {
 public:
  // name: "eth0" or "eth0@suffix". The backend knows the interface.
  Device(Backend& backend, const Rules& rules, std::string name, const Interface& interface,
         std::uint32_t thread, std::uint64_t seed);
  ~Device() { remove(); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const std::string& name() const noexcept { return name_; }
  bool running() const noexcept { return job_.has_value(); }

  // One write to the device's file: 0, a short count, or -errno (command.h).
  long command(std::string_view text);
  std::string text() const;

  void start();         // anew, when it runs
  void request_stop();  // does not wait
  // Takes over how far the job is; when it has ended, its result.
  void refresh();

 private:
  void remove();  // waits for the job's end
  void show(const JobProgress& progress);
  void finish(const JobProgress& progress);

  Backend& backend_;
  const Rules rules_;
  const std::string name_;
  const std::string interface_name_;
  const std::uint32_t thread_;
  const std::uint64_t seed_;
  Interface interface_;
  DeviceSettings settings_;
  CurrentPacket current_;
  TrafficOptions run_;  // of the present or last run
  RunCounters counters_;
  RunCounters cleared_;  // what clear_counters takes off the run's counters
  std::string result_;
  std::optional<Backend::JobId> job_;
};

// The interface's part of a device's name.
std::string_view interface_of(std::string_view device) noexcept;

}  // namespace qdiscsim::pktgenfs
