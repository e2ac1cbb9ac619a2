// One line on a terminal that says how far a comparison is; silent elsewhere.
#pragma once

#include <cstddef>
#include <string>

#include "base/clock.h"
#include "bench/ring/compare.h"

namespace qdiscsim::ring_bench {

// What the line is made of.
struct Position {
  std::string setting;  // "producers 4"; empty when there is only one
  Step step;
  std::size_t least_rounds = 0;
  std::size_t most_rounds = 0;
  Nanoseconds elapsed = 0;  // since the first round began
  Nanoseconds most_time = 0;
};

//   [####................]  round 3 of at least 9, cas  about 12 s left  producers 4
// Beyond the least number of rounds nobody knows how many it takes: then the most that is left.
// At most `width` columns: parts that do not fit are left out from the right.
std::string format_progress(const Position& position, std::size_t width);

class Progress {
 public:
  // Off unless stderr is a terminal that can move its cursor, and when not wanted.
  explicit Progress(bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  bool enabled() const noexcept { return enabled_; }
  void show(const Position& position);
  void clear();

 private:
  bool enabled_;
  bool visible_ = false;
};

}  // namespace qdiscsim::ring_bench
