#include "daemon/bql_view.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

// Name and content of each file of a folder, in the order in which a shell lists them.
using Files = std::vector<std::pair<std::string_view, std::uint64_t>>;

Files byte_queue_limits(const QueueSnapshot& queue) {
  return {{"hold_time", queue.bql_hold_time / kMillisecond},
          {"inflight", queue.bql_inflight_bytes},
          {"limit", queue.bql_limit_bytes},
          {"limit_max", queue.bql_limit_max_bytes},
          {"limit_min", queue.bql_limit_min_bytes},
          {"stall_cnt", 0},
          {"stall_max", 0},
          {"stall_thrs", 0}};
}

}  // namespace

std::string bql_text(std::span<const DeviceSnapshot> devices) {
  std::string out;
  for (const DeviceSnapshot& device : devices) {
    for (const QueueSnapshot& queue : device.queues) {
      const std::string folder =
          fmt::format("/sys/class/net/{}/queues/tx-{}/", device.name, queue.index);
      if (device.has_bql) {
        for (const auto& [name, value] : byte_queue_limits(queue)) {
          out += fmt::format("{}byte_queue_limits/{}:{}\n", folder, name, value);
        }
      }
      out += fmt::format("{}tx_timeout:{}\n", folder, queue.watchdog.trans_timeout);
    }
  }
  return out;
}

std::string bql_json(std::span<const DeviceSnapshot> devices) {
  Json out = Json::array();
  for (const DeviceSnapshot& device : devices) {
    for (const QueueSnapshot& queue : device.queues) {
      Json limits;  // null
      if (device.has_bql) {
        for (const auto& [name, value] : byte_queue_limits(queue)) limits[name] = value;
      }
      Json& shown = out.emplace_back(Json{{"dev", device.name},
                                          {"queue", fmt::format("tx-{}", queue.index)},
                                          {"byte_queue_limits", std::move(limits)}});
      shown["tx_timeout"] = queue.watchdog.trans_timeout;
      shown["since_trans_start_seconds"] = queue.watchdog.since_trans_start_seconds;
    }
  }
  return out.dump() + "\n";
}

}  // namespace qdiscsim
