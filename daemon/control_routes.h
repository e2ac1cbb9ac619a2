// ControlRoutes: the addresses that change a running daemon. Without sockets.
//
//   POST  /api/v1/generators/NAME/start, .../stop   the group's threads
//   PATCH /api/v1/generators/NAME                   {key: value}: keys of generators[]
//   POST  /api/v1/devices/NAME/up, .../down         `ip link set`
//   POST  /api/v1/devices/NAME/queues/N/stall       {"milliseconds": 500}: the consumer
//   PATCH /api/v1/devices/NAME                      {"tx_queue_len": 500, "link": {"rate": ..}}
//   POST  /-/reload, /api/v1/reload                 the configuration file again
//   POST  /api/v1/counters/reset                    refused: counters only grow
//
// A change of keys is an override of the configuration in force, held to the rules of a file, and
// lasts until the next reload. Whether the client may change anything is the caller's to know.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/overrides.h"
#include "daemon/http_reply.h"
#include "daemon/source.h"

namespace qdiscsim {

// Owns its texts: it crosses threads.
struct ControlRequest {
  std::string method;
  std::string path;
  std::string content_type;
  std::string body;
};

// What the control thread does for the routes; the calls come on it.
class ControlTarget {
 public:
  ControlTarget() = default;
  ControlTarget(const ControlTarget&) = delete;
  ControlTarget& operator=(const ControlTarget&) = delete;
  virtual ~ControlTarget() = default;

  virtual const config::Config& config() const = 0;
  virtual ReloadOutcome change(const std::vector<config::Override>& overrides) = 0;
  virtual ReloadOutcome reload_file() = 0;
  // Of a device that the configuration has; see DataPlane.
  virtual ReloadOutcome set_up(const std::string& device, bool up) = 0;
  virtual ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                              std::chrono::milliseconds time) = 0;
};

// "POST /api/v1/generators/{name}/start" and so on: every method and path that there is.
std::vector<std::string> control_addresses();

// Whether some method changes something at this path (query and fragment cut off).
bool is_control_path(std::string_view path) noexcept;

// The answer for whom may not change anything. `socket`: where one may; empty = nowhere.
HttpReply control_refused(std::string_view path, const std::string& socket);

// Control thread.
HttpReply control_reply(const ControlRequest& request, ControlTarget& target);

}  // namespace qdiscsim
