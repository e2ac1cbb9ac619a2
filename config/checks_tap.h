// The interfaces of tap links: what they are called, and that each is one device's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/diagnostic.h"
#include "config/places.h"

namespace qdiscsim::config {

// Where nothing is said, the interface is called as the device and the namespace after it.
void name_taps(Config& config);

// After name_taps(). Sources as in check_rules().
void check_taps(const Config& config, const Places& places, std::span<const std::string> sources,
                std::vector<Diagnostic>& diagnostics);

}  // namespace qdiscsim::config
