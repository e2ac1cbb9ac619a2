#include "daemon/http_routes.h"

#include <array>

#include "daemon/summary.h"
#include "daemon/web_page.h"

namespace qdiscsim {
namespace {

constexpr std::string_view kAllowed = "GET, HEAD";
constexpr auto kPaths = std::to_array<std::string_view>(
    {"/", "/metrics", "/api/v1/summary", "/-/healthy", "/-/ready", "/-/reload"});

HttpReply text(unsigned status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

HttpReply ready(Phase phase) {
  switch (phase) {
    case Phase::kStarting:
      return text(503, "not ready: starting\n");
    case Phase::kReady:
      return text(200, "ready\n");
    case Phase::kStopping:
      return text(503, "not ready: stopping, the queues are being drained\n");
  }
  return text(500, "unknown phase\n");
}

HttpReply not_found(std::string_view path) {
  std::string body = "nothing at " + std::string{path.substr(0, 200)} + "; this server has\n";
  for (const std::string_view known : kPaths) body += "  " + std::string{known} + "\n";
  return text(404, std::move(body));
}

HttpReply reload_refused() {
  return text(403,
              "TCP is read-only: nothing can be changed here. To reload the configuration send "
              "SIGHUP to qdiscsimd (kill -HUP PID, or systemctl reload qdiscsim).\n");
}

}  // namespace

HttpReply HttpRoutes::handle(std::string_view method, std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  // A reload is refused whatever the method: the answer says what to do instead.
  if (path == "/-/reload") return reload_refused();
  if (method != "GET" && method != "HEAD") {
    HttpReply reply = text(405, "method not allowed: this server is read-only (GET and HEAD)\n");
    reply.allow = kAllowed;
    return reply;
  }
  if (path == "/metrics") {
    HttpReply reply;
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply.body = collector_.scrape();
    return reply;
  }
  if (path == "/") {
    HttpReply reply;
    reply.content_type = "text/html; charset=utf-8";
    reply.body = render_web_page(summarise(source_.snapshot(), rates_, state_.phase()));
    return reply;
  }
  if (path == "/api/v1/summary") {
    HttpReply reply;
    reply.content_type = "application/json";
    reply.body = to_json(summarise(source_.snapshot(), rates_, state_.phase()));
    return reply;
  }
  if (path == "/-/healthy") return text(200, "healthy\n");
  if (path == "/-/ready") return ready(state_.phase());
  return not_found(path);
}

}  // namespace qdiscsim
