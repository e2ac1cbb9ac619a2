// The flags of each command, and what was typed for them, before it is judged (options.cc).
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/ring/options.h"

namespace qdiscsim::ring_bench {

using Text = std::optional<std::string>;

struct Typed {
  std::vector<std::string> rings;
  std::string mode = "0";
  Text count, size, burst, pop, producers, pin, time_limit, seed;
  Text repeat, max_repeat, max_time, precision;
  Text outstanding, batch, reset;
  bool sleep = false;
  bool affinity_sweep = false;
  bool delayed = false, no_event_index = false, notify_always = false;
  bool json = false, markdown = false, no_progress = false;
};

// typed must outlive app.
void add_flags(CLI::App& app, Command command, Typed& typed);

}  // namespace qdiscsim::ring_bench
