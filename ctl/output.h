// Standard output, with what can go wrong there.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "ctl/exit_codes.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {

// Writes and flushes; false: the reader has what it wanted and is gone. Throws Failure (kExitIo).
inline bool print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;
  throw Failure{kExitIo, std::string{"stdout: cannot be written: "} + std::strerror(errno)};
}

}  // namespace qdiscsim::ctl
