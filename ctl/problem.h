// An answer that is no success, as lines for the user. Pure.
#pragma once

#include <string>

#include "ctl/address.h"
#include "ctl/failure.h"

namespace qdiscsim::ctl {

struct Answer;

// Of application/problem+json (RFC 9457) each of `errors` on a line, else `detail`; of plain text
// the text. The exit status follows from answer.status.
Failure failure_of(const Answer& answer, const std::string& request, const Address& address);

}  // namespace qdiscsim::ctl
