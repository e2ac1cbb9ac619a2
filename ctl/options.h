// The command line of qdiscsimctl, taken apart. Pure: prints nothing, asks nobody.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace qdiscsim::ctl {

enum class Command {
  kStatus,
  kTop,
  kQdisc,
  kPktgen,
  kPagepool,
  kSet,
  kDevice,
  kReload,
  kWatch,
  kReport,
  kConfig,
  kCompletion,
  kNames,   // hidden: for the completion
  kManual,  // hidden: for the build
  kExit,    // --help, --version, a wrong command line: `text` says it all
};

struct Options {
  Command command = Command::kExit;
  std::string socket;  // --socket; at most one of the two
  std::string url;     // --url

  std::string device;     // qdisc, pagepool: behind dev; device, set device
  std::string generator;  // pktgen, set generator
  std::string action;     // pktgen: start, stop, ""; device: up, down, stall; names: what
  unsigned queue = 0;     // device stall
  unsigned stall_ms = 0;  // device stall, milliseconds
  std::vector<std::string> settings;  // set: KEY=VALUE

  bool statistics = false;  // -s
  bool json = false;        // -j, --json
  bool markdown = false;    // --markdown
  bool batch = false;       // top: plain text; --once is batch with count 1
  bool ascii = false;       // top --ascii
  double interval = 1;      // top, watch: seconds, 0.1 to 3600
  unsigned count = 0;       // top -n, watch -n; 0 = no end

  // kExit only.
  int exit_code = 0;
  std::string text;  // to stdout when exit_code is 0, else lines for stderr
};

Options parse_options(int argc, const char* const* argv);

}  // namespace qdiscsim::ctl
