#include "daemon/http_routes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/control_routes.h"
#include "daemon/device_routes.h"
#include "daemon/generator_view.h"
#include "daemon/openapi.h"
#include "daemon/report_views.h"
#include "daemon/summary.h"
#include "daemon/web_page.h"

namespace qdiscsim {
namespace {

constexpr std::string_view kAllowed = "GET, HEAD";

HttpReply ready(Phase phase) {
  switch (phase) {
    case Phase::kStarting:
      return text_reply(503, "not ready: starting\n");
    case Phase::kReady:
      return text_reply(200, "ready\n");
    case Phase::kStopping:
      return text_reply(503, "not ready: stopping, the queues are being drained\n");
  }
  return text_reply(500, "unknown phase\n");
}

HttpReply not_found(std::string_view path) {
  std::vector<std::string> known = http_paths();
  known.emplace_back("/-/reload");
  std::string body = "nothing at " + std::string{path.substr(0, 200)} + "; this server has\n";
  for (const std::string& address : known) body += "  " + address + "\n";
  return text_reply(404, std::move(body));
}

}  // namespace

std::vector<std::string> http_paths() {
  std::vector<std::string> known{"/",
                                 "/metrics",
                                 "/api/v1/summary",
                                 std::string{kEventsPath},
                                 "/api/v1/openapi.json",
                                 "/api/v1/config",
                                 "/api/v1/generators",
                                 "/api/v1/generators.txt",
                                 "/api/v1/report",
                                 "/api/v1/report.md"};
  for (std::string& view : device_paths()) known.push_back(std::move(view));
  known.insert(known.end(), {"/-/healthy", "/-/ready"});
  return known;
}

HttpReply HttpRoutes::handle(const HttpRequest& request) {
  const std::string_view path = path_of(request.target);
  // Refused whatever the method: the answer says what to do instead.
  if (is_control_path(path)) return control_refused(path, control_socket_);
  if (request.method != "GET" && request.method != "HEAD") {
    HttpReply reply =
        text_reply(405, "method not allowed: this server is read-only (GET and HEAD)\n");
    reply.allow = kAllowed;
    return reply;
  }
  if (path == "/metrics") {
    HttpReply reply;
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply.body = collector_.scrape();
    return reply;
  }
  if (path == "/") return web_page();
  if (path == "/api/v1/summary") {
    return json_reply(to_json(summarise(source_.snapshot(), rates_, state_)));
  }
  if (path == kEventsPath) {
    HttpReply reply;
    reply.content_type = kEventsType;
    return reply;
  }
  if (path == "/api/v1/openapi.json") return json_reply(std::string{openapi_source()});
  if (path == "/api/v1/config") {
    HttpReply reply = text_reply(200, state_.config());
    reply.content_type = "application/yaml";
    return reply;
  }
  if (path == "/api/v1/generators" && !prefers_text(request.accept)) {
    return json_reply(generators_json(source_.snapshot()));
  }
  if (path == "/api/v1/generators" || path == "/api/v1/generators.txt") {
    return text_reply(200, generators_text(source_.snapshot()));
  }
  if (path == "/api/v1/report") {
    return json_reply(report_json(source_.snapshot(), state_.uptime(monotonic_ns())));
  }
  if (path == "/api/v1/report.md") {
    HttpReply reply =
        text_reply(200, report_markdown(source_.snapshot(), state_.uptime(monotonic_ns())));
    reply.content_type = "text/markdown; charset=utf-8";
    return reply;
  }
  if (auto reply = device_reply(request, source_)) return std::move(*reply);
  if (path == "/-/healthy") return text_reply(200, "healthy\n");
  if (path == "/-/ready") return ready(state_.phase());
  return not_found(path);
}

std::string HttpRoutes::summary_event() const {
  return "event: summary\ndata: " +
         to_json(summarise(source_.snapshot(), rates_, state_), JsonLayout::kOneLine) + '\n';
}

}  // namespace qdiscsim
