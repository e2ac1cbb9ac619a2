// The parts of a request that choose between answers: parameters of the query, and Accept.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qdiscsim {

struct HttpRequest {
  std::string_view method;  // as sent: "GET"
  std::string_view target;  // as sent: "/metrics?x=1"
  std::string_view accept;  // the Accept header; empty when there is none
};

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

// The target without query and fragment.
std::string_view path_of(std::string_view target) noexcept;

// In the order sent, %XX and + decoded; a % that starts no such code stays as it is. A parameter
// without = has an empty value.
QueryParameters query_of(std::string_view target);

// Whether Accept names text/plain, and no JSON before it. Weights (q=) are not looked at.
bool prefers_text(std::string_view accept);

}  // namespace qdiscsim
