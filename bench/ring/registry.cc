#include "bench/ring/registry.h"

#include <algorithm>

namespace qdiscsim::ring_bench {

Mode& Registry::mode(std::string_view name) {
  const auto found = std::find_if(modes_.begin(), modes_.end(),
                                  [&](const Mode& mode) { return mode.name == name; });
  if (found != modes_.end()) return *found;
  return modes_.emplace_back(Mode{std::string{name}, {}, "items", {}});
}

}  // namespace qdiscsim::ring_bench
