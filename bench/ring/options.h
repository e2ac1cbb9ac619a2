// The command line of ring_bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/ring/compare.h"
#include "bench/ring/params.h"
#include "bench/ring/registry.h"
#include "config/cpus.h"

namespace qdiscsim::ring_bench {

enum class Command {
  kRun,      // each ring, once or `repeat` times, a line a run
  kCompare,  // rings against the first one
  kList,
  kExit,  // --help, or a wrong command line: `text` says it all
};

enum class Format { kText, kMarkdown, kJson };

// One combination of the lists that were given (producers, burst, CPUs).
struct Setting {
  std::string label;  // what sets it apart, as in "4 producers, burst 8"; empty when it is the only
  Params params;
};

struct Options {
  Command command = Command::kRun;
  Format format = Format::kText;
  bool progress = true;
  std::string command_line;  // as it could be typed again

  const Mode* mode = nullptr;            // of the registry that was handed in
  std::vector<const Variant*> variants;  // of that mode; for kCompare two or more, the base first
  std::vector<Setting> settings;         // one or more
  bool affinity_sweep = false;
  std::size_t repeat = 1;  // kRun
  Rules rules;             // kCompare

  // kExit only.
  int exit_code = 0;
  std::string text;  // to stdout when exit_code is 0, else one line for stderr
};

// What the threads that params.producers counts are called in a mode: "producer", "worker".
const char* worker_word(const std::string& mode);

// Never throws but std::bad_alloc, prints nothing. Whatever is wrong is said before anything runs:
// "-s 1: must be 2 to 10000000". `cpus` are those that --pin may name.
Options parse_options(int argc, const char* const* argv, const Registry& registry,
                      const config::Cpus& cpus);

}  // namespace qdiscsim::ring_bench
