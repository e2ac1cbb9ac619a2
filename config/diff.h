// What changes between two valid configurations, and what of it a running daemon can take over.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/schema.h"

namespace qdiscsim::config {

struct Change {
  std::string key;  // generators[1].ratep: indices of the new configuration, if it is still there
  std::string before;  // as print_value() writes it; empty: not set, or no such entry
  std::string after;
  Reload reload = Reload::kLive;

  bool operator==(const Change&) const = default;
};

// In the order of the schema. Generator groups are matched by name: their order does not matter, a
// group that came or went is one live change with its name in `after` or `before`. Devices are
// matched by position; when their number changes that is the only change reported for them.
std::vector<Change> diff(const Config& before, const Config& after);

bool needs_restart(const std::vector<Change>& changes);

// "devices[0].link.rate: 1Gbit -> 10Gbit (live)"
std::string to_string(const Change& change);

}  // namespace qdiscsim::config
