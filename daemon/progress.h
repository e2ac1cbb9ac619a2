// The progress line: how the packets flow, once a second, in one line of a terminal that is
// written over in place. The control thread only.
#pragma once

#include <cstddef>
#include <string>

#include "daemon/rates.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

// One device:
//   eth0  1.488 Mpps  offered 2.000 Mpps  drops b0 0.0% b1 12.3% b2 50.1%  backlog 0/1000/1000
//   lag 0 us
// Several are added up, and the one that drops most is named. Never longer than `width` columns:
// what does not fit is left out from the right, part by part.
std::string format_progress(const Snapshot& snapshot, const RateWindow& rates, std::size_t width);

class ProgressLine {
 public:
  // Off when not wanted, and when stdout or stderr is not a terminal or TERM says that it cannot
  // move the cursor.
  explicit ProgressLine(bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  bool enabled() const noexcept { return enabled_; }
  // Adds the snapshot to the history and writes the line. Nothing when off.
  void show(const Snapshot& snapshot);
  // The same for any text, cut off where the line ends.
  void show(std::string text);
  // Wipes the line, so that other text can follow.
  void clear();

 private:
  bool enabled_;
  bool visible_ = false;
  RateWindow rates_;
};

}  // namespace qdiscsim
