// Where each key of a configuration stands, so that a rule about two keys can point at one of them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "config/diagnostic.h"

namespace qdiscsim::config {

class Places {
 public:
  void put(const std::string& path, Position at) { places_.emplace(path, at); }
  void mark_map(const std::string& path) { maps_.insert(path); }
  // The value was refused: rules that depend on it keep silent.
  void mark_bad(const std::string& path) { bad_.insert(path); }

  bool given(const std::string& path) const { return places_.contains(path); }
  // Given, and as a map (possibly an empty one) rather than a single value.
  bool is_map(const std::string& path) const { return maps_.contains(path); }
  // The key's own place, or that of the nearest map around it that the file has.
  Position of(std::string path) const;
  // Neither the value nor anything around or inside it was refused.
  bool good(const std::string& path) const;

 private:
  std::map<std::string, Position> places_;
  std::set<std::string> maps_;
  std::set<std::string> bad_;
};

}  // namespace qdiscsim::config
