// What each subcommand does. Writes to stdout; one thread.
#pragma once

#include "ctl/options.h"

namespace qdiscsim::ctl {

// Returns the exit status. Throws Failure.
int run_command(const Options& options);

}  // namespace qdiscsim::ctl
