// One view of top: a summary and what the user chose, as lines for a terminal of a given size.
// Pure: the same arguments give the same lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ctl/canvas.h"
#include "ctl/summary.h"

namespace qdiscsim::ctl {

enum class Order { kName, kRate, kBehind };  // of generators
std::string_view order_name(Order order) noexcept;
Order next_order(Order order) noexcept;

struct FrameInput {
  std::optional<Summary> summary;  // the last that came; none = none yet
  std::string lost;                // why no newer one comes, in one line; "" = all is well
  std::string address;             // where the daemon is asked
  std::size_t width = 80;          // columns and lines; anything is drawn, from 60×16 on all of it
  std::size_t height = 24;         // 0 = as many lines as there is to say (batch)
  bool utf8 = true;
  std::size_t device = 0;  // which is shown; the last when there are fewer
  Order order = Order::kName;
  bool paused = false;
  bool help = false;
};

// At most height lines (the last is that of keys), none wider than width.
std::vector<Line> draw(const FrameInput& input);

// Lines of plain text, each with a line feed.
std::string plain(const std::vector<Line>& lines);

}  // namespace qdiscsim::ctl
