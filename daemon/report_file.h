// The final report in a file (--report FILE), for scripts: the JSON of /api/v1/report, or its
// Markdown when the name ends in .md.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/clock.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

class ReportFile {
 public:
  // Creates or empties the file: what cannot be written is said before the run, not after it.
  // Throws std::system_error.
  explicit ReportFile(std::string path);

  // Once, at the end. elapsed: from start to the end of the drain. Throws std::system_error.
  void write(const Snapshot& snapshot, Nanoseconds elapsed);

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace qdiscsim
