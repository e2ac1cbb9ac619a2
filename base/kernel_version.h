// Which kernel is modelled, where releases differ. The rooms that model take it as an option and
// compare: `version < KernelVersion::k6_18`. Where nothing is said, 6.18 is meant. "6.1" stands for
// the stable series (6.1.192), which carries many later fixes: only what differs there is switched.
#pragma once

#include <cstdint>

namespace qdiscsim {

// In order of age, so that the comparison operators say older and newer.
enum class KernelVersion : std::uint8_t { k6_1, k6_18 };

}  // namespace qdiscsim
