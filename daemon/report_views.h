// The report of a daemon that runs, as JSON and as Markdown: what the final report would say now
// (report.h). A reading among running threads: sums are off by the packets in motion, and pages
// that are out are no loss. Both say so.
#pragma once

#include <string>

#include "base/clock.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

// elapsed: since the start.
std::string report_json(const Snapshot& snapshot, Nanoseconds elapsed);
std::string report_markdown(const Snapshot& snapshot, Nanoseconds elapsed);

}  // namespace qdiscsim
