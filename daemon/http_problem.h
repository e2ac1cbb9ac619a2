// Errors of the API as RFC 9457 has them: application/problem+json with type, title, status, detail
// and instance. Without sockets; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/http_reply.h"

namespace qdiscsim {

struct Problem {
  unsigned status = 400;
  std::string_view type;              // the anchor in docs/control.md, such as "read-only"
  std::string title;                  // the same for every problem of the type
  std::string detail;                 // this one: what is wrong, and the way out
  std::string_view instance;          // the path that was asked for
  std::vector<std::string> errors{};  // several mistakes, one line each
};

HttpReply problem_reply(const Problem& problem);

}  // namespace qdiscsim
