// Names of pktgen's flags. Source: linux net/core/pktgen.c, pktgen_read_flag().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pktgenfs/rules.h"
#include "pktgenfs/settings.h"

namespace qdiscsim::pktgenfs {

constexpr unsigned kFlags = 19;

std::string_view flag_name(Flag flag) noexcept;

struct FlagChange {
  Flag flag;
  bool clears;
};
// "NAME" or "!NAME". FLOW_RND is FLOW_SEQ the other way round; IPV6 can only be cleared.
std::optional<FlagChange> flag_change_of(std::string_view word, const Rules& rules) noexcept;

// "A, B, C": the names that are accepted.
std::string known_flags(const Rules& rules);

}  // namespace qdiscsim::pktgenfs
