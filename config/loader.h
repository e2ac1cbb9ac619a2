// From a file to a validated Config, or to the list of everything that is wrong with it. Starts
// nothing, throws nothing but std::bad_alloc, keeps no state; any thread may call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/cpus.h"
#include "config/diagnostic.h"
#include "config/exit_codes.h"
#include "config/overrides.h"

namespace qdiscsim::config {

// A capture that the configuration names: what is wrong with the file itself is told at this place.
struct NamedCapture {
  std::size_t generator;  // index of the group; the path is its traffic.pcap
  Diagnostic place;       // without a message
};

struct Result {
  std::optional<Config> config;         // empty exactly when there are diagnostics
  std::vector<Diagnostic> diagnostics;  // in reading order
  std::vector<NamedCapture> captures;   // of a valid configuration; nobody has opened them
  int exit_code = kExitOk;              // kExitOk, kExitConfig or kExitNoInput

  explicit operator bool() const { return config.has_value(); }
};

// `overrides` are applied in turn before the rules are checked.
Result load_file(const std::string& path, std::span<const Override> overrides = {},
                 const Cpus& cpus = Cpus::of_this_process());

// `name` stands for the file in diagnostics, and its folder is where relative paths start.
Result load_text(std::string_view text, const std::string& name,
                 std::span<const Override> overrides = {},
                 const Cpus& cpus = Cpus::of_this_process());

// One line for each diagnostic, as to_string(Diagnostic), each with a line feed.
std::string to_string(const std::vector<Diagnostic>& diagnostics);

}  // namespace qdiscsim::config
