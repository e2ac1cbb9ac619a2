// The report's content, section by section, for whoever writes it: as text (report.h), Markdown
// (report_views.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/snapshot.h"
#include "text/text_table.h"

namespace qdiscsim {

struct ReportSection {
  std::string title;
  std::optional<TextTable> table;
  std::vector<std::string> lines;  // below the table; what continues one stands behind a line feed
};

// seconds: that the packets took. running: a reading among running threads, where sums are off by
// the packets in motion. The last section is that of the accounts.
std::vector<ReportSection> report_sections(const Snapshot& snapshot, double seconds, bool running);

}  // namespace qdiscsim
