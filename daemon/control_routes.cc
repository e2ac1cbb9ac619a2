#include "daemon/control_routes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "daemon/control_body.h"
#include "daemon/http_problem.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kGenerators = "/api/v1/generators/";
constexpr std::string_view kDevices = "/api/v1/devices/";
constexpr std::uint64_t kLongestStall = 60'000;  // milliseconds
constexpr std::string_view kReset = "/api/v1/counters/reset";

bool is_reload(std::string_view path) {
  return path == "/-/reload" || path == "/api/v1/reload";
}

// A request, and the entry of the configuration that its path names.
struct Aim {
  const ControlRequest& request;
  ControlTarget& target;
  std::string name;
  std::string queue;      // of a device, where the path names one
  std::size_t index = 0;  // of the generator or device

  std::string entry(std::string_view list) const {
    return std::string{list} + '[' + std::to_string(index) + ']';
  }
};

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
  if (outcome.refusal == Refusal::kWrong) return wrong_change(request, outcome.messages);
  return problem_reply(
      {.status = 409,
       .type = "conflict",
       .title = "The change does not fit the present state; nothing has changed",
       .detail = outcome.messages.empty() ? "no reason was given" : outcome.messages.front(),
       .instance = request.path,
       .errors = outcome.messages});
}

HttpReply unknown(const ControlRequest& request, const std::string& what,
                  const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return problem_reply({.status = 404,
                        .type = "unknown-name",
                        .title = "There is nothing of that name",
                        .detail = what + "; there are: " + (all.empty() ? "none" : all),
                        .instance = request.path});
}

HttpReply patch(const Aim& aim, std::string_view list, bool into_maps) {
  auto object = object_of(aim.request);
  if (auto* problem = std::get_if<HttpReply>(&object)) return std::move(*problem);
  auto overrides = overrides_of(aim.request, std::get<Json>(object), aim.entry(list), into_maps);
  if (auto* problem = std::get_if<HttpReply>(&overrides)) return std::move(*problem);
  return outcome_reply(aim.request,
                       aim.target.change(std::get<std::vector<config::Override>>(overrides)));
}

HttpReply enable(const Aim& aim, bool enabled) {
  const std::string key = aim.entry("generators") + ".enabled=";
  // A group that has come to its end is enabled still: it is stopped first, and begins anew.
  if (enabled && aim.target.config().generators[aim.index].enabled) {
    const ReloadOutcome stopped = aim.target.change({{key + "false", aim.request.path}});
    if (!stopped.applied) return outcome_reply(aim.request, stopped);
  }
  return outcome_reply(aim.request,
                       aim.target.change({{key + (enabled ? "true" : "false"), aim.request.path}}));
}

// Empty: it is {"milliseconds": n} with an n that may be.
std::string wrong_stall(const Json& body) {
  for (const auto& [key, value] : body.items()) {
    if (key != "milliseconds") return key + ": unknown key; there is milliseconds";
    const bool allowed = value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 &&
                         value.get<std::uint64_t>() <= kLongestStall;
    if (!allowed) {
      return "milliseconds: " + value.dump(-1, ' ', true) + " is no stall; allowed: 1 to " +
             std::to_string(kLongestStall);
    }
  }
  return {};
}

HttpReply stall(const Aim& aim) {
  const std::uint32_t queues = aim.target.config().devices[aim.index].queues;
  std::uint32_t queue = 0;
  const char* const end = aim.queue.data() + aim.queue.size();
  const auto [rest, error] = std::from_chars(aim.queue.data(), end, queue);
  if (error != std::errc{} || rest != end || queue >= queues) {
    std::vector<std::string> known;
    for (std::uint32_t i = 0; i < queues; ++i) known.push_back(std::to_string(i));
    return unknown(aim.request, "device " + aim.name + " has no tx queue " + aim.queue, known);
  }
  const auto object = object_of(aim.request);
  if (const auto* problem = std::get_if<HttpReply>(&object)) return *problem;
  const Json& body = std::get<Json>(object);
  if (std::string wrong = wrong_stall(body); !wrong.empty()) {
    return wrong_change(aim.request, {std::move(wrong)});
  }
  return outcome_reply(
      aim.request,
      aim.target.stall(aim.name, static_cast<std::uint16_t>(queue),
                       std::chrono::milliseconds{body.at("milliseconds").get<std::uint64_t>()}));
}

HttpReply reload(const Aim& aim) {
  return outcome_reply(aim.request, aim.target.reload_file());
}

HttpReply refuse_reset(const Aim& aim) {
  return problem_reply({.status = 403,
                        .type = "counters-only-grow",
                        .title = "Counters are never reset",
                        .detail = "rates are made of counters that only grow; take the difference "
                                  "of two readings, or restart the daemon",
                        .instance = aim.request.path});
}

struct Route {
  std::string_view method;
  std::string_view path;  // {name}: a word of the request's path
  HttpReply (*answer)(const Aim& aim);
};

constexpr auto kRoutes = std::to_array<Route>({
    {"PATCH", "/api/v1/generators/{name}",
     [](const Aim& aim) { return patch(aim, "generators", false); }},
    {"POST", "/api/v1/generators/{name}/start", [](const Aim& aim) { return enable(aim, true); }},
    {"POST", "/api/v1/generators/{name}/stop", [](const Aim& aim) { return enable(aim, false); }},
    {"PATCH", "/api/v1/devices/{name}", [](const Aim& aim) { return patch(aim, "devices", true); }},
    {"POST", "/api/v1/devices/{name}/up",
     [](const Aim& aim) { return outcome_reply(aim.request, aim.target.set_up(aim.name, true)); }},
    {"POST", "/api/v1/devices/{name}/down",
     [](const Aim& aim) { return outcome_reply(aim.request, aim.target.set_up(aim.name, false)); }},
    {"POST", "/api/v1/devices/{name}/queues/{queue}/stall", stall},
    {"POST", "/-/reload", reload},
    {"POST", "/api/v1/reload", reload},
    {"POST", kReset, refuse_reset},
});

// Cuts the first word off.
std::string_view next_word(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view word = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return word;
}

// The words that stand for {...}; none when the path is another one.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  if (std::count(pattern.begin(), pattern.end(), '/') != std::count(path.begin(), path.end(), '/'))
    return std::nullopt;
  std::vector<std::string> words;
  while (!pattern.empty() || !path.empty()) {
    const std::string_view wanted = next_word(pattern);
    const std::string_view word = next_word(path);
    if (!wanted.starts_with('{')) {
      if (wanted != word) return std::nullopt;
    } else if (word.empty()) {
      return std::nullopt;
    } else {
      words.emplace_back(word);
    }
  }
  return words;
}

template <class Entries>
std::optional<HttpReply> find_entry(Aim& aim, std::string_view list, const Entries& entries) {
  std::vector<std::string> known;
  known.reserve(entries.size());
  for (const auto& entry : entries) known.push_back(entry.name);
  const auto found = std::find(known.begin(), known.end(), aim.name);
  if (found == known.end()) {
    return unknown(aim.request, "no entry of `" + std::string{list} + "` is called " + aim.name,
                   known);
  }
  aim.index = static_cast<std::size_t>(found - known.begin());
  return std::nullopt;
}

}  // namespace

std::vector<std::string> control_addresses() {
  std::vector<std::string> out;
  out.reserve(std::size(kRoutes));
  for (const Route& route : kRoutes) {
    out.push_back(std::string{route.method} + ' ' + std::string{route.path});
  }
  return out;
}

bool is_control_path(std::string_view path) noexcept {
  return is_reload(path) || path == kReset || path.starts_with(kGenerators) ||
         path.starts_with(kDevices);
}

HttpReply control_refused(std::string_view path, const std::string& socket) {
  const auto named = std::find_if(kRoutes.begin(), kRoutes.end(), [&](const Route& route) {
    return route.path != kReset && match(route.path, path);
  });
  const std::string example =
      named == kRoutes.end() ? "POST http://localhost/-/reload"
                             : std::string{named->method} + " http://localhost" + std::string{path};
  const std::string where =
      socket.empty() ? "this daemon has no control socket (control.socket)"
                     : "use its UNIX socket: curl --unix-socket " + socket + " -X " + example;
  return problem_reply(
      {.status = 403,
       .type = "read-only",
       .title = "TCP is read-only",
       .detail = "nothing can be changed here; " + where +
                 ". SIGHUP reloads the configuration, too (systemctl reload qdiscsim)",
       .instance = path});
}

HttpReply control_reply(const ControlRequest& request, ControlTarget& target) {
  std::string_view allowed;
  for (const Route& route : kRoutes) {
    const auto words = match(route.path, request.path);
    if (!words) continue;
    allowed = route.method;
    // A reset is refused whatever the method.
    if (request.method != route.method && route.path != kReset) continue;
    Aim aim{request, target, words->empty() ? "" : words->front(),
            words->size() > 1 ? words->back() : ""};
    std::optional<HttpReply> problem;
    if (route.path.starts_with(kGenerators)) {
      problem = find_entry(aim, "generators", target.config().generators);
    } else if (route.path.starts_with(kDevices)) {
      problem = find_entry(aim, "devices", target.config().devices);
    }
    return problem ? std::move(*problem) : route.answer(aim);
  }
  if (!allowed.empty()) return not_allowed(request, allowed);
  std::string all;
  for (const std::string& address : control_addresses()) {
    all += (all.empty() ? "" : ", ") + address;
  }
  return problem_reply({.status = 404,
                        .type = "not-found",
                        .title = "There is no such address",
                        .detail = "there are: " + all,
                        .instance = request.path});
}

}  // namespace qdiscsim
