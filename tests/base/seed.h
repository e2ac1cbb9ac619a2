// Seeds of randomised tests: fixed, so that every run is the same run, unless the environment names
// one. A failure prints the seed and how to use it again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace qdiscsim::test {

// The seeds to walk through: QDISCSIM_SEED alone when it is set, else 1 .. count.
inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  if (const char* text = std::getenv("QDISCSIM_SEED"); text != nullptr) {
    return {std::strtoull(text, nullptr, 0)};
  }
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed) all.push_back(seed);
  return all;
}

// For SCOPED_TRACE.
inline std::string repeat_with(std::uint64_t seed) {
  return "repeat with QDISCSIM_SEED=" + std::to_string(seed);
}

}  // namespace qdiscsim::test
