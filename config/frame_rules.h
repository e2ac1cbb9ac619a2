// Rules about what a generator's packets consist of: families of addresses, ranges, tags.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/places.h"

namespace qdiscsim::config {

struct Complaint {
  std::string key;  // of the group, without its prefix
  std::string message;
};

// prefix: of the group in `places`, with the dot. Says nothing about values that were refused.
std::vector<Complaint> frame_complaints(const GeneratorGroup& group, const Places& places,
                                        const std::string& prefix);

}  // namespace qdiscsim::config
