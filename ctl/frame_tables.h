// The tables of a frame. `wide`: there are 160 columns or more. Pure.
#pragma once

#include "ctl/canvas.h"
#include "ctl/frame.h"

namespace qdiscsim::ctl {

Columns bands_table(const Device& device, std::size_t width, bool utf8, bool wide);
Columns sojourn_table(const Device& device);  // narrow frames only: a wide one has it in the bands
Columns pools_table(const Summary& summary, bool wide);
Columns generators_table(const Summary& summary, Order order, bool wide);

}  // namespace qdiscsim::ctl
