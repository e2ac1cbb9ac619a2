// The effective configuration as YAML: every key with its value, defaults filled in. Loads again to
// an equal Config.
#pragma once

#include <string>

#include "config/config.h"
#include "config/schema.h"

namespace qdiscsim::config {

std::string print(const Config& config);

// One entry's value in one line of YAML, as print() would write it: `2Mpps`, `{min: 60, max: 1500,
// random: true}`. Empty when the entry is not part of the effective configuration (a wire's ring on
// a dummy link, a pace that is not set). `owner` is the struct that the entry belongs to.
std::string print_value(const Key& key, const void* owner);

}  // namespace qdiscsim::config
