// What the rules about more than one key have in common: where a key stands, whether its value can
// be relied on, and how to say that something is wrong. Keys count from the prefix.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/places.h"

namespace qdiscsim::config {

class Rules {
 public:
  // prefix: of the entry to look at, with the dot, as in `devices[0].`. All references outlive it.
  Rules(const Config& config, const Places& places, std::span<const std::string> sources,
        std::vector<Diagnostic>& diagnostics, std::string prefix = "")
      : config_(config),
        places_(places),
        sources_(sources),
        diagnostics_(diagnostics),
        prefix_(std::move(prefix)) {}

  bool given(const std::string& key) const { return places_.given(prefix_ + key); }
  // No value that the rule looks at was refused by the walk.
  bool good(std::initializer_list<std::string> keys) const {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return places_.good(prefix_ + key); });
  }
  // As a compiler writes it; what an override set stands at its option.
  std::string place_of(const std::string& key) const {
    const Position at = places_.of(prefix_ + key);
    if (at.line == 0) return sources_[at.source];
    return sources_[at.source] + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
  }
  void report(const std::string& key, const std::string& message) const {
    const Position at = places_.of(prefix_ + key);
    diagnostics_.push_back({sources_[at.source], at, prefix_ + key, message});
  }

 protected:
  const Config& config_;
  const Places& places_;
  std::span<const std::string> sources_;
  std::vector<Diagnostic>& diagnostics_;
  std::string prefix_;
};

}  // namespace qdiscsim::config
