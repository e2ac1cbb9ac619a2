#include "ctl/summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"
#include "ctl/figures.h"

namespace qdiscsim::ctl {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void take(const Json& from, const char* key, T& to) {
  const auto found = from.find(key);
  if (found != from.end() && !found->is_null()) to = found->get<T>();
}

// A part that is missing, null, or no object is an empty one.
Json part(const Json& from, const char* key) {
  const auto found = from.find(key);
  return found != from.end() && found->is_object() ? *found : Json::object();
}

void take(const Json& from, const char* key, std::optional<double>& to) {
  const auto found = from.find(key);
  if (found != from.end() && !found->is_null()) to = found->get<double>();
}

std::optional<Latency> latency_of(const Json& from, const char* key) {
  const Json in = part(from, key);
  if (in.empty()) return std::nullopt;
  Latency out;
  take(in, "count", out.count);
  take(in, "mean", out.mean);
  take(in, "p50", out.p50);
  take(in, "p90", out.p90);
  take(in, "p99", out.p99);
  take(in, "p999", out.p999);
  take(in, "max", out.max);
  return out;
}

Band band_of(const Json& in) {
  Band out;
  take(in, "offered_pps", out.offered_pps);
  take(in, "sent_pps", out.sent_pps);
  take(in, "dropped_pps", out.dropped_pps);
  take(in, "drop_ratio", out.drop_ratio);
  take(in, "sent_packets", out.sent);
  const Json drops = part(in, "drops");
  take(drops, "overlimit", out.dropped_overlimit);
  take(drops, "deactivated", out.dropped_deactivated);
  take(in, "backlog_packets", out.backlog);
  take(in, "limit_packets", out.limit);
  out.sojourn = latency_of(in, "sojourn_seconds");
  return out;
}

Device device_of(const Json& in) {
  Device out;
  take(in, "name", out.name);
  take(in, "link", out.link);
  take(in, "link_bits_per_second", out.link_bits_per_second);
  take(in, "up", out.up);
  take(in, "queues", out.queues);
  take(in, "stopped_queues", out.stopped_queues);
  take(in, "stuck_seconds", out.stuck_seconds);
  take(in, "offered_pps", out.offered_pps);
  take(in, "delivered_pps", out.delivered_pps);
  take(in, "dropped_pps", out.dropped_pps);
  take(in, "bits_per_second", out.bits_per_second);
  take(in, "drop_ratio", out.drop_ratio);
  take(in, "backlog_packets", out.backlog);
  take(in, "offered_packets", out.offered);
  take(in, "delivered_packets", out.delivered);
  take(in, "dropped_packets", out.dropped);
  if (const auto bands = in.find("bands"); bands != in.end()) {
    for (const Json& band : *bands) out.bands.push_back(band_of(band));
  }
  return out;
}

Generator generator_of(const Json& in) {
  Generator out;
  take(in, "name", out.name);
  take(in, "group", out.group);
  take(in, "device", out.device);
  take(in, "running", out.running);
  take(in, "rate_pps", out.rate_pps);
  take(in, "configured_pps", out.configured_pps);
  take(in, "sent_packets", out.sent);
  take(in, "errors", out.errors);
  take(in, "behind_seconds", out.behind_seconds);
  out.latency = latency_of(in, "latency_seconds");
  return out;
}

PagePool pool_of(const Json& in) {
  PagePool out;
  take(in, "name", out.name);
  take(in, "inflight_pages", out.inflight);
  take(in, "recycled_ratio", out.recycled_ratio);
  const Json alloc = part(in, "alloc_pps");
  for (const auto& [path, rate] : alloc.items()) {
    out.alloc_pps.emplace_back(path, rate.get<double>());
  }
  const Json recycle = part(in, "recycle_pps");
  for (const auto& [path, rate] : recycle.items()) {
    out.recycle_pps.emplace_back(path, rate.get<double>());
  }
  take(in, "cache_pages", out.cache);
  take(in, "ring_pages", out.ring);
  take(in, "ring_capacity", out.ring_capacity);
  return out;
}

template <class T>
std::vector<T> list_of(const Json& in, const char* key, T (*of)(const Json&)) {
  std::vector<T> out;
  if (const auto found = in.find(key); found != in.end()) {
    for (const Json& entry : *found) out.push_back(of(entry));
  }
  return out;
}

Summary summary_of(const Json& in) {
  Summary out;
  take(in, "version", out.version);
  take(in, "state", out.state);
  take(in, "time", out.time);
  take(in, "uptime_seconds", out.uptime_seconds);
  take(in, "account_violations", out.account_violations);
  const Json config = part(in, "config");
  take(config, "reloads", out.reloads);
  take(config, "last_reload_ok", out.last_reload_ok);
  take(config, "changed_since_reload", out.changed_since_reload);
  out.devices = list_of(in, "devices", device_of);
  out.generators = list_of(in, "generators", generator_of);
  out.pools = list_of(in, "page_pools", pool_of);
  return out;
}

}  // namespace

Summary parse_summary(const std::string& json) {
  try {
    const Json in = Json::parse(json);
    if (in.is_object()) return summary_of(in);
  } catch (const Json::exception&) {
    // The same as no object.
  }
  throw Failure{kExitProtocol,
                "/api/v1/summary: what came is no summary of a qdiscsimd; is it one that listens "
                "there, and of this version?"};
}

bool lags(const Generator& generator) {
  return generator.running && generator.behind_seconds > kLagSeconds;
}

std::vector<std::string> ailments(const Summary& summary) {
  std::vector<std::string> out;
  if (summary.state != "ready") out.push_back("not ready: " + summary.state);
  if (summary.account_violations > 0) {
    out.push_back(fmt::format("the account was violated {} times; see qdiscsimctl report",
                              summary.account_violations));
  }
  if (!summary.last_reload_ok) {
    out.emplace_back("the last reload was refused; the log says why (journalctl -u qdiscsim)");
  }
  for (const Device& device : summary.devices) {
    if (device.stuck_seconds > kStuckSeconds) {
      out.push_back(fmt::format("{}: a queue has been stuck for {}", device.name,
                                seconds_text(device.stuck_seconds)));
    }
  }
  return out;
}

}  // namespace qdiscsim::ctl
