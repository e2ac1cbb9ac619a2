// The body of a request that changes something: JSON into overrides of the configuration, or the
// problem that it is. Without sockets; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "config/overrides.h"
#include "daemon/control_routes.h"
#include "daemon/http_reply.h"

namespace qdiscsim {

// The object that the body holds, never empty. Else 415 (not said to be JSON) or 400 (not an
// object, or nested deeper than any configuration).
std::variant<nlohmann::ordered_json, HttpReply> object_of(const ControlRequest& request);

// 422: well formed, but wrong in a key or a value.
HttpReply wrong_change(const ControlRequest& request, std::vector<std::string> reasons);

// One override for each key below `entry`, such as "devices[1]"; null takes a key away. into_maps:
// maps are changed key by key, so that they keep what is not named. Else 422, for a key that cannot
// be one.
std::variant<std::vector<config::Override>, HttpReply> overrides_of(
    const ControlRequest& request, const nlohmann::ordered_json& object, const std::string& entry,
    bool into_maps);

}  // namespace qdiscsim
