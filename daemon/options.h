// The command line of qdiscsimd.
#pragma once

#include <string>
#include <vector>

#include "config/overrides.h"

namespace qdiscsim {

enum class Action {
  kRun,
  kCheckConfig,            // --check-config: say what is wrong, start nothing
  kPrintConfig,            // --print-config: the effective configuration
  kPrintMetricsReference,  // docs/metrics.md
  kPrintConfigReference,   // docs/configuration.md
  kExit,                   // --help, --version, a wrong command line: `text` says it all
};

struct Options {
  Action action = Action::kRun;
  std::string config_path;
  // --set as given; --listen, --duration and --log-level as the --set that they stand for. Later
  // ones win.
  std::vector<config::Override> overrides;
  bool progress = true;
  bool once = false;
  std::string report;  // file of --report; empty = none

  // kExit only.
  int exit_code = 0;
  std::string text;  // to stdout when exit_code is 0, else one line for stderr
};

// Never throws but std::bad_alloc, prints nothing.
Options parse_options(int argc, const char* const* argv);

}  // namespace qdiscsim
