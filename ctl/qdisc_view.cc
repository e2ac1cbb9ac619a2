#include "ctl/qdisc_view.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

using Json = nlohmann::ordered_json;

Json parse_or_fail(const std::string& json, const char* path) {
  Json out = Json::parse(json, nullptr, false);
  if (!out.is_discarded()) return out;
  throw Failure{kExitProtocol, std::string{path} + ": what came is no JSON; is it a qdiscsimd?"};
}

bool is_of(const std::string& name, const std::string& wanted) {
  return name == wanted || name.starts_with(wanted + '/');
}

}  // namespace

std::string without_counters(const std::string& text) {
  std::istringstream in{text};
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("qdisc ")) out += line + '\n';
  }
  return out;
}

std::string without_counters_json(const std::string& json) {
  constexpr std::array kKept{"kind", "handle", "root", "dev", "parent", "refcnt", "options"};
  Json out = Json::array();
  const Json all = parse_or_fail(json, "/api/v1/qdisc");
  for (const Json& qdisc : all) {
    Json kept = Json::object();
    for (const auto& [key, value] : qdisc.items()) {
      if (std::find(kKept.begin(), kKept.end(), key) != kKept.end()) kept[key] = value;
    }
    out.push_back(std::move(kept));
  }
  return out.dump() + '\n';
}

std::string of_generator(const std::string& text, const std::string& name) {
  std::istringstream in{text};
  std::string out;
  bool wanted = false;
  for (std::string line; std::getline(in, line);) {
    const bool head = !line.starts_with(' ') && !line.starts_with("Result:");
    if (head) wanted = is_of(line.substr(0, line.find(" on ")), name);
    if (wanted) out += line + '\n';
  }
  return out;
}

std::string of_generator_json(const std::string& json, const std::string& name) {
  const Json answer = parse_or_fail(json, "/api/v1/generators");
  const Json all = answer.value("generators", Json::array());
  Json kept = Json::array();
  for (const Json& one : all) {
    const std::string group = one.value("group", "");
    if (is_of(group + '/' + one.value("thread", ""), name)) kept.push_back(one);
  }
  return Json{{"generators", kept}}.dump() + '\n';
}

}  // namespace qdiscsim::ctl
