// "Did you mean": the known name closest to a mistyped one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qdiscsim::config {

// The candidate with the fewest typing errors (a letter too many, missing, wrong, or two swapped),
// letter case and the difference between _ and - ignored. Nothing when more than a third of the
// candidate's letters would have to change. The first of equals wins.
std::optional<std::string> closest(std::string_view typed,
                                   const std::vector<std::string>& candidates);

// "a, b or c"
std::string join_or(const std::vector<std::string>& names);

}  // namespace qdiscsim::config
