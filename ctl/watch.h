// `watch`: one line a look, all devices together.
#pragma once

#include <string>

#include "ctl/client.h"
#include "ctl/options.h"
#include "ctl/summary.h"

namespace qdiscsim::ctl {

// Two lines: the titles, and the units below them.
std::string watch_titles();
std::string watch_line(const Summary& summary);
// One JSON object: time, state, offered_pps, delivered_pps, dropped_pps, backlog_packets.
std::string watch_json(const Summary& summary);

// Until options.count lines, a signal, or nobody reads. Returns the exit status; throws Failure
// when the daemon does not answer the first time. Later it says so on stderr and goes on.
int run_watch(const Options& options, Client& client);

}  // namespace qdiscsim::ctl
