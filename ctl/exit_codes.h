// What qdiscsimctl's exit status says, in the manner of sysexits.h. Scripts may rely on these
// numbers; --help, the manual page and docs/qdiscsimctl.md list them.
#pragma once

#include <array>
#include <string_view>

namespace qdiscsim::ctl {

inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 64;        // EX_USAGE
inline constexpr int kExitRefused = 65;      // EX_DATAERR
inline constexpr int kExitUnknownName = 66;  // EX_NOINPUT
inline constexpr int kExitUnreachable = 69;  // EX_UNAVAILABLE
inline constexpr int kExitDaemon = 70;       // EX_SOFTWARE
inline constexpr int kExitIo = 74;           // EX_IOERR
inline constexpr int kExitUnhealthy = 75;    // EX_TEMPFAIL
inline constexpr int kExitProtocol = 76;     // EX_PROTOCOL
inline constexpr int kExitNoRight = 77;      // EX_NOPERM

struct ExitCode {
  int code;
  std::string_view meaning;
};

inline constexpr std::array<ExitCode, 10> kExitCodes{{
    {kExitOk, "done; of status: the daemon is healthy"},
    {kExitUsage, "the command line is wrong"},
    {kExitRefused, "the daemon refused the change; nothing has changed"},
    {kExitUnknownName, "no device, generator or address of that name"},
    {kExitUnreachable, "no daemon answers"},
    {kExitDaemon, "the daemon failed on the request"},
    {kExitIo, "the output cannot be written"},
    {kExitUnhealthy,
     "of status: not ready, an account violated, the last reload refused, or a queue stuck"},
    {kExitProtocol, "what answers is no qdiscsimd, or one of another version"},
    {kExitNoRight, "not allowed: TCP is read-only, or the socket's group is not yours"},
}};

}  // namespace qdiscsim::ctl
