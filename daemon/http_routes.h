// HttpRoutes: what each address answers, without sockets. GET and HEAD only: TCP is read-only.
//
//   /                 live page for people           /-/healthy   200 while the process answers
//   /metrics          Prometheus text format         /-/ready     200, or 503 and the reason
//   /api/v1/openapi.json  the description of all this (docs/openapi.json)
//   /api/v1/summary   the page's figures as JSON     /api/v1/config   that in force, YAML
//   /api/v1/events    the same each second, as Server-Sent Events
//   /api/v1/generators  with the kernel's Result; .txt   /api/v1/report  the report as of now; .md
//   and devices as tc, sysfs and netlink show them: device_routes.h
//   What changes something (control_routes.h) is refused here: only the session knows who may.
//
// One thread (the HTTP thread) calls everything here; it owns the history from which rates are
// made.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/daemon_state.h"
#include "daemon/http_reply.h"
#include "daemon/http_request.h"
#include "daemon/metrics_collector.h"
#include "daemon/rates.h"
#include "daemon/source.h"

namespace qdiscsim {

// The session sends it (event_streams.h); here it is only what HEAD and the lists of addresses
// show.
inline constexpr std::string_view kEventsPath = "/api/v1/events";
inline constexpr std::string_view kEventsType = "text/event-stream";

// Every path that GET is for, as /api/v1/openapi.json lists them.
std::vector<std::string> http_paths();

class HttpRoutes {
 public:
  // Both must outlive the routes.
  HttpRoutes(const SnapshotSource& source, const DaemonState& state)
      : source_{source}, state_{state}, collector_{source, state, rates_} {}

  // The body of a HEAD's reply is what GET would send; the session leaves it out. Addresses that
  // know no parameter ignore the query.
  HttpReply handle(const HttpRequest& request);
  HttpReply handle(std::string_view method, std::string_view target) {
    return handle({.method = method, .target = target, .accept = {}});
  }

  // The UNIX socket on which changes are possible, for the words of a refusal. Before the server
  // starts.
  void set_control_socket(std::string path) { control_socket_ = std::move(path); }

  // The summary as one event "summary" of a stream of Server-Sent Events.
  std::string summary_event() const;

  // Adds one snapshot to the history: call it a few times a second.
  void sample() { rates_.push(source_.snapshot()); }

 private:
  const SnapshotSource& source_;
  const DaemonState& state_;
  std::string control_socket_;
  RateWindow rates_;
  MetricsCollector collector_;
};

}  // namespace qdiscsim
