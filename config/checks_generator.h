// The rules of one group of generators.
#pragma once

#include "config/rules.h"

namespace qdiscsim::config {

// rules: with the group's prefix.
void check_generator(const Rules& rules, const GeneratorGroup& group);

}  // namespace qdiscsim::config
