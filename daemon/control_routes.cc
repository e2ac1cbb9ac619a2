#include "daemon/control_routes.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "daemon/http_problem.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kGenerators = "/api/v1/generators/";
constexpr std::string_view kDevices = "/api/v1/devices/";
constexpr std::string_view kReset = "/api/v1/counters/reset";

bool is_reload(std::string_view path) {
  return path == "/-/reload" || path == "/api/v1/reload";
}

// What a path names, and what is to be done with it: "" for PATCH, else the last word.
struct Aim {
  std::string_view list;  // "generators" or "devices"
  std::string name;
  std::string_view action;
};

std::optional<Aim> aim_of(std::string_view path) {
  const bool generator = path.starts_with(kGenerators);
  if (!generator && !path.starts_with(kDevices)) return std::nullopt;
  const std::string_view rest = path.substr((generator ? kGenerators : kDevices).size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  Aim aim{generator ? "generators" : "devices", std::string{rest.substr(0, slash)},
          slash == rest.size() ? "" : rest.substr(slash + 1)};
  const bool known = aim.action.empty()
                         ? slash == rest.size()
                         : generator && (aim.action == "start" || aim.action == "stop");
  if (!known || aim.name.empty()) return std::nullopt;
  return aim;
}

HttpReply not_allowed(const ControlRequest& request, std::string_view allowed) {
  HttpReply reply = problem_reply(
      {.status = 405,
       .type = "method-not-allowed",
       .title = "Method not allowed",
       .detail = request.method + " does nothing here; allowed: " + std::string{allowed},
       .instance = request.path});
  reply.allow = allowed;
  return reply;
}

HttpReply outcome_reply(const ControlRequest& request, const ReloadOutcome& outcome) {
  if (outcome.applied) {
    return json_reply(Json{{"applied", true}, {"changes", outcome.messages}}.dump(2) + '\n');
  }
  return problem_reply(
      {.status = 409,
       .type = "refused",
       .title = "The change was refused; nothing has changed",
       .detail = outcome.messages.empty() ? "no reason was given" : outcome.messages.front(),
       .instance = request.path,
       .errors = outcome.messages});
}

std::vector<std::string> names(std::string_view list, const config::Config& config) {
  std::vector<std::string> found;
  if (list == "devices") {
    for (const auto& device : config.devices) found.push_back(device.name);
  } else {
    for (const auto& group : config.generators) found.push_back(group.name);
  }
  return found;
}

HttpReply unknown(const ControlRequest& request, const Aim& aim,
                  const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return problem_reply({.status = 404,
                        .type = "unknown-name",
                        .title = "There is nothing of that name",
                        .detail = "no entry of `" + std::string{aim.list} + "` is called " +
                                  aim.name + "; there are: " + (all.empty() ? "none" : all),
                        .instance = request.path});
}

// As a value of YAML in one line: JSON is one, but a text in quotes is no number or word there.
std::string yaml_of(const Json& value) {
  if (value.is_null()) return "";  // removes the key: its default
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  });
  return plain ? text : value.dump();
}

// A device's maps are changed key by key, so that a link keeps what is not named.
void add_overrides(const std::string& key, const Json& value, bool into_maps,
                   const std::string& option, std::vector<config::Override>& out) {
  if (into_maps && value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      add_overrides(key + '.' + name, inner, into_maps, option, out);
    }
    return;
  }
  out.emplace_back(key + '=' + yaml_of(value), option);
}

// Whether brackets are nested deeper than any configuration: what takes JSON apart calls itself for
// each level.
bool too_deep(std::string_view json) {
  constexpr int kMost = 32;
  int depth = 0;
  int deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest > kMost;
}

HttpReply bad_body(const ControlRequest& request, unsigned status, std::string detail) {
  return problem_reply({.status = status,
                        .type = "bad-body",
                        .title = "The request's body cannot be used",
                        .detail = std::move(detail),
                        .instance = request.path});
}

HttpReply patch(const ControlRequest& request, const std::string& entry, bool into_maps,
                ControlTarget& target) {
  if (!request.content_type.starts_with("application/json") &&
      !request.content_type.starts_with("application/merge-patch+json")) {
    return bad_body(request, 415, "the body must be JSON: Content-Type: application/json");
  }
  if (too_deep(request.body)) {
    return bad_body(request, 400, "the body is nested more than 32 levels deep");
  }
  const Json body = Json::parse(request.body, nullptr, false);
  if (body.is_discarded() || !body.is_object() || body.empty()) {
    return bad_body(request, 400,
                    "the body must be a JSON object of keys and values, such as {\"threads\": 2}");
  }
  std::vector<config::Override> overrides;
  for (const auto& [key, value] : body.items()) {
    if (key.find_first_of(".[=") != std::string::npos) {
      return bad_body(request, 400, "\"" + key + "\" is not a key; nest maps instead");
    }
    add_overrides(entry + '.' + key, value, into_maps, request.path, overrides);
  }
  return outcome_reply(request, target.change(overrides));
}

HttpReply change_entry(const ControlRequest& request, const Aim& aim, ControlTarget& target) {
  const std::vector<std::string> known = names(aim.list, target.config());
  const auto found = std::find(known.begin(), known.end(), aim.name);
  const std::string_view method = aim.action.empty() ? "PATCH" : "POST";
  if (request.method != method) return not_allowed(request, method);
  if (found == known.end()) return unknown(request, aim, known);
  const auto index = static_cast<std::size_t>(found - known.begin());
  const std::string entry = std::string{aim.list} + '[' + std::to_string(index) + ']';
  if (aim.action.empty()) return patch(request, entry, aim.list == "devices", target);
  const bool start = aim.action == "start";
  // A group that has come to its end is enabled still: it is stopped first, and begins anew.
  if (start && target.config().generators[index].enabled) {
    const ReloadOutcome stopped = target.change({{entry + ".enabled=false", request.path}});
    if (!stopped.applied) return outcome_reply(request, stopped);
  }
  return outcome_reply(
      request, target.change({{entry + ".enabled=" + (start ? "true" : "false"), request.path}}));
}

}  // namespace

bool is_control_path(std::string_view path) noexcept {
  return is_reload(path) || path == kReset || path.starts_with(kGenerators) ||
         path.starts_with(kDevices);
}

HttpReply control_refused(std::string_view path, const std::string& socket) {
  const std::string where =
      socket.empty()
          ? "this daemon has no control socket (control.socket)"
          : "use its UNIX socket: curl --unix-socket " + socket + " -X POST http://localhost" +
                std::string{is_reload(path) || path.starts_with(kGenerators) ? path : "/-/reload"};
  return problem_reply(
      {.status = 403,
       .type = "read-only",
       .title = "TCP is read-only",
       .detail = "nothing can be changed here; " + where +
                 ". SIGHUP reloads the configuration, too (systemctl reload qdiscsim)",
       .instance = path});
}

HttpReply control_reply(const ControlRequest& request, ControlTarget& target) {
  if (is_reload(request.path)) {
    if (request.method != "POST") return not_allowed(request, "POST");
    return outcome_reply(request, target.reload_file());
  }
  if (request.path == kReset) {
    return problem_reply({.status = 403,
                          .type = "counters-only-grow",
                          .title = "Counters are never reset",
                          .detail =
                              "rates are made of counters that only grow; take the difference "
                              "of two readings, or restart the daemon",
                          .instance = request.path});
  }
  if (const auto aim = aim_of(request.path)) return change_entry(request, *aim, target);
  return problem_reply({.status = 404,
                        .type = "not-found",
                        .title = "There is no such address",
                        .detail = "PATCH /api/v1/generators/NAME, POST .../NAME/start, POST "
                                  ".../NAME/stop, PATCH /api/v1/devices/NAME",
                        .instance = request.path});
}

}  // namespace qdiscsim
