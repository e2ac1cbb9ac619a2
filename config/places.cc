#include "config/places.h"

namespace qdiscsim::config {
namespace {

// devices[0].link.rate -> devices[0].link -> devices[0] -> devices -> "".
void strip_last(std::string& path) {
  const std::size_t cut = path.find_last_of(".[");
  path.resize(cut == std::string::npos ? 0 : cut);
}

}  // namespace

Position Places::of(std::string path) const {
  for (;; strip_last(path)) {
    const auto found = places_.find(path);
    if (found != places_.end()) return found->second;
    if (path.empty()) return {0, 1, 1};
  }
}

bool Places::good(const std::string& path) const {
  for (const std::string& bad : bad_) {
    const std::string& longer = bad.size() > path.size() ? bad : path;
    const std::string& shorter = bad.size() > path.size() ? path : bad;
    if (!longer.starts_with(shorter)) continue;
    if (longer.size() == shorter.size()) return false;
    const char next = longer[shorter.size()];
    if (next == '.' || next == '[') return false;
  }
  return true;
}

}  // namespace qdiscsim::config
