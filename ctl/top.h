// `top`: the live view, or with --batch plain text.
#pragma once

#include "ctl/client.h"
#include "ctl/options.h"

namespace qdiscsim::ctl {

// Returns the exit status. Throws Failure when there is no terminal, and with --batch when no
// daemon answers; the live view waits for one and says so.
int run_top(const Options& options, Client& client);

}  // namespace qdiscsim::ctl
