#include "ctl/commands.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ctl/client.h"
#include "ctl/completion.h"
#include "ctl/manual.h"
#include "ctl/output.h"
#include "ctl/problem.h"
#include "ctl/qdisc_view.h"
#include "ctl/settings.h"
#include "ctl/status.h"
#include "ctl/top.h"
#include "ctl/watch.h"

namespace qdiscsim::ctl {
namespace {

using Json = nlohmann::ordered_json;

// A change waits for the data plane, so it may take a while.
constexpr std::chrono::milliseconds kPatience{30'000};
// What is looked at each second, or by a shell that waits for Tab.
constexpr std::chrono::milliseconds kGlance{2'000};

std::vector<Address> addresses_of(const Options& options) {
  if (!options.socket.empty()) return {Address{options.socket, "", ""}};
  if (!options.url.empty()) return {parse_url(options.url)};
  return default_addresses();
}

// A name in a path, with what has a meaning there spelled out.
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
    out += plain ? std::string{c} : fmt::format("%{:02X}", byte);
  }
  return out;
}

int show(const std::string& text) {
  print(text);
  return kExitOk;
}

// The daemon's lines on what was changed.
int change(Client& client, const std::string& method, const std::string& target,
           const std::string& body) {
  const Answer answer = client.send(method, target, body);
  if (answer.status < 200 || answer.status > 299) {
    throw failure_of(answer, method + ' ' + target, client.address());
  }
  const Json json = Json::parse(answer.body, nullptr, false);
  std::string out;
  if (json.is_object() && json.contains("changes")) {
    for (const Json& line : json["changes"]) {
      out += (line.is_string() ? line.get<std::string>() : line.dump()) + '\n';
    }
  }
  return show(out.empty() ? "done\n" : out);
}

std::string with_device(const Options& options, const std::string& path) {
  return options.device.empty() ? path : path + "?dev=" + escaped(options.device);
}

int qdisc(const Options& options, Client& client) {
  if (options.json) {
    const std::string all = client.get(with_device(options, "/api/v1/qdisc"));
    return show(options.statistics ? all : without_counters_json(all));
  }
  const std::string all = client.get(with_device(options, "/api/v1/qdisc.txt"));
  return show(options.statistics ? all : without_counters(all));
}

std::string names(Client& client, const std::string& what) {
  const Summary summary = parse_summary(client.get("/api/v1/summary"));
  std::vector<std::string> found;
  for (const Device& device : summary.devices) {
    if (what == "devices") found.push_back(device.name);
  }
  for (const Generator& generator : summary.generators) {
    const bool known = !found.empty() && found.back() == generator.group;
    if (what == "generators" && !known) found.push_back(generator.group);
  }
  std::string out;
  for (const std::string& name : found) out += name + '\n';
  return out;
}

int pktgen(const Options& options, Client& client) {
  const std::string& name = options.generator;
  if (!options.action.empty()) {
    return change(client, "POST", "/api/v1/generators/" + escaped(name) + '/' + options.action, "");
  }
  const std::string all =
      client.get(options.json ? "/api/v1/generators" : "/api/v1/generators.txt");
  if (name.empty()) return show(all);
  if (of_generator(client.get("/api/v1/generators.txt"), name).empty()) {
    std::string known = names(client, "generators");
    for (char& c : known) c = c == '\n' ? ' ' : c;
    throw Failure{kExitUnknownName, name + ": no generator of that name at " +
                                        client.address().text() + "; there are: " + known};
  }
  return show(options.json ? of_generator_json(all, name) : of_generator(all, name));
}

int device(const Options& options, Client& client) {
  const std::string place = "/api/v1/devices/" + escaped(options.device);
  if (options.action != "stall") return change(client, "POST", place + '/' + options.action, "");
  return change(client, "POST", place + "/queues/" + std::to_string(options.queue) + "/stall",
                Json{{"milliseconds", options.stall_ms}}.dump());
}

int set(const Options& options, Client& client) {
  const bool of_device = options.generator.empty();
  const std::string target = of_device ? "/api/v1/devices/" + escaped(options.device)
                                       : "/api/v1/generators/" + escaped(options.generator);
  return change(client, "PATCH", target, patch_of(options.settings));
}

int status(const Options& options, Client& client) {
  const std::string body = client.get("/api/v1/summary");
  const Summary summary = parse_summary(body);
  print(options.json ? status_json(summary, body, client.address())
                     : status_text(summary, client.address()));
  return ailments(summary).empty() ? kExitOk : kExitUnhealthy;
}

}  // namespace

int run_command(const Options& options) {
  if (options.command == Command::kCompletion) return show(bash_completion());
  if (options.command == Command::kManual) return show(manual_page());
  const bool glance = options.command == Command::kTop || options.command == Command::kWatch ||
                      options.command == Command::kNames;
  Client client{addresses_of(options), glance ? kGlance : kPatience};
  switch (options.command) {
    case Command::kStatus:
      return status(options, client);
    case Command::kTop:
      return run_top(options, client);
    case Command::kQdisc:
      return qdisc(options, client);
    case Command::kPktgen:
      return pktgen(options, client);
    case Command::kPagepool:
      return show(client.get(
          with_device(options, options.json ? "/api/v1/page-pools" : "/api/v1/page-pools.txt")));
    case Command::kSet:
      return set(options, client);
    case Command::kDevice:
      return device(options, client);
    case Command::kReload:
      return change(client, "POST", "/api/v1/reload", "");
    case Command::kWatch:
      return run_watch(options, client);
    case Command::kReport:
      return show(client.get(options.json ? "/api/v1/report" : "/api/v1/report.md"));
    case Command::kConfig:
      return show(client.get("/api/v1/config"));
    case Command::kNames:
      return show(names(client, options.action));
    default:
      return kExitOk;
  }
}

}  // namespace qdiscsim::ctl
