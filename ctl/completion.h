// The completion for bash, made from the command line itself. Names of devices and generators are
// asked of the daemon when Tab is pressed. Pure.
#pragma once

#include <string>

namespace qdiscsim::ctl {

std::string bash_completion();

}  // namespace qdiscsim::ctl
