// The rules that look at more than one key.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/places.h"

namespace qdiscsim::config {

// Shown where devices are missing.
inline constexpr const char* kMinimalDevices =
    "devices: [{name: eth0, link: {kind: wire, rate: 1Gbit}}]";

// Adds a diagnostic for every rule broken. A rule is silent when a value it needs was refused by
// the walk. sources[i] is the name behind Position::source i.
void check_rules(const Config& config, const Places& places, std::span<const std::string> sources,
                 std::vector<Diagnostic>& diagnostics);

}  // namespace qdiscsim::config
