// `status`: a summary in a few lines. Pure.
#pragma once

#include <string>

#include "ctl/address.h"
#include "ctl/summary.h"

namespace qdiscsim::ctl {

std::string status_text(const Summary& summary, const Address& address);

// {"healthy", "ailments", "address", "summary"}: the daemon's own summary, as it came.
std::string status_json(const Summary& summary, const std::string& body, const Address& address);

}  // namespace qdiscsim::ctl
