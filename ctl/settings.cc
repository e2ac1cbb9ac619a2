#include "ctl/settings.h"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const YAML::Node& node) {
  if (node.IsSequence()) {
    Json out = Json::array();
    for (const YAML::Node& entry : node) out.push_back(json_of(entry));
    return out;
  }
  if (node.IsMap()) {
    Json out = Json::object();
    for (const auto& entry : node) out[entry.first.Scalar()] = json_of(entry.second);
    return out;
  }
  return node.IsScalar() ? Json(node.Scalar()) : Json{};
}

void put(Json& into, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  std::string key = setting.substr(0, equals);
  Json value;
  try {
    value = json_of(YAML::Load(setting.substr(equals + 1)));
  } catch (const YAML::Exception& error) {
    throw Failure{kExitUsage, "command line: set: " + setting + ": the value is no YAML: " +
                                  error.msg + "; put a text that holds such signs into quotes"};
  }
  Json* place = &into;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
    place = &(*place)[key.substr(0, dot)];
    key.erase(0, dot + 1);
    if (!place->is_object() && !place->is_null()) break;
  }
  if ((!place->is_object() && !place->is_null()) || place->contains(key)) {
    throw Failure{kExitUsage, "command line: set: " + setting + ": that key is set twice"};
  }
  (*place)[key] = std::move(value);
}

}  // namespace

std::string patch_of(const std::vector<std::string>& settings) {
  Json out = Json::object();
  for (const std::string& setting : settings) put(out, setting);
  // A word of the command line may hold any bytes.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace qdiscsim::ctl
