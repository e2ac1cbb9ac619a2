// KEY=VALUE of `set`, as the body of a PATCH. Pure.
#pragma once

#include <string>
#include <vector>

namespace qdiscsim::ctl {

// Values are read as the configuration file would read them (YAML in one line): a word or number
// becomes a text, which the daemon takes apart, [..] a list, {..} a map; nothing, ~ or null takes
// the key away. A dot in a key goes into a map: link.rate=10Gbit. Throws Failure (kExitUsage).
std::string patch_of(const std::vector<std::string>& settings);

}  // namespace qdiscsim::ctl
