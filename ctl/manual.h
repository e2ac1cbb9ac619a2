// qdiscsimctl(1), in roff's man macros, made from the command line itself. Pure.
#pragma once

#include <string>

namespace qdiscsim::ctl {

std::string manual_page();

}  // namespace qdiscsim::ctl
