// What ring_bench does, without the process around it: a registry and options in, text and an exit
// code out. Tests bring a registry of their own.
#pragma once

#include <string>

#include "bench/ring/options.h"

namespace qdiscsim::ring_bench {

struct Done {
  int exit_code = 0;
  std::string text;     // for stdout
  std::string failure;  // for stderr; empty: none
};

// Runs until done or until `stop` says so (asked between runs). `line` gets the text of a plain
// `run` as it comes, a line a run; everything else comes at the end, in Done::text.
Done execute(const Options& options, const Registry& registry, const std::function<bool()>& stop,
             const std::function<void(const std::string&)>& line);

}  // namespace qdiscsim::ring_bench
