// What the daemon's exit status says, in the manner of sysexits.h. Scripts and systemd units may
// rely on these numbers; docs/configuration.md lists them from kExitCodes.
#pragma once

#include <array>
#include <string_view>

namespace qdiscsim::config {

inline constexpr int kExitOk = 0;            // ran and drained, or --check-config found no mistake
inline constexpr int kExitUsage = 64;        // EX_USAGE: wrong command line
inline constexpr int kExitConfig = 65;       // EX_DATAERR: the configuration holds mistakes
inline constexpr int kExitNoInput = 66;      // EX_NOINPUT: the file cannot be read
inline constexpr int kExitUnavailable = 69;  // EX_UNAVAILABLE: port or socket in use
inline constexpr int kExitSoftware = 70;     // EX_SOFTWARE: an invariant does not hold: a bug
inline constexpr int kExitIo = 74;           // EX_IOERR: output was lost
inline constexpr int kExitOs = 71;  // EX_OSERR: the system refuses memory, threads, affinity

struct ExitCode {
  int code;
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array<ExitCode, 8> kExitCodes{{
    {kExitOk, "ok", "ran, drained and reported; or `--check-config` found no mistake"},
    {kExitUsage, "EX_USAGE", "the command line is wrong"},
    {kExitConfig, "EX_DATAERR",
     "the configuration holds mistakes; each is on its own line. Or the directory "
     "for pktgen's control files cannot be used"},
    {kExitNoInput, "EX_NOINPUT", "the configuration file cannot be read"},
    {kExitUnavailable, "EX_UNAVAILABLE", "the HTTP address is in use or not to be had"},
    {kExitSoftware, "EX_SOFTWARE", "the accounts do not add up: a bug in qdiscsim"},
    {kExitOs, "EX_OSERR", "the system refuses what is needed: memory, threads, CPU affinity"},
    {kExitIo, "EX_IOERR",
     "what was asked for cannot be written to stdout, or to the file of `--report`"},
}};

}  // namespace qdiscsim::config
