#include "ctl/problem.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ctl/client.h"
#include "ctl/exit_codes.h"

namespace qdiscsim::ctl {
namespace {

int exit_code_of(unsigned status) {
  if (status == 403 || status == 401) return kExitNoRight;
  if (status == 404) return kExitUnknownName;
  if (status >= 500) return kExitDaemon;
  return kExitRefused;
}

std::string lines_of(const nlohmann::json& problem) {
  const auto errors = problem.find("errors");
  std::string out;
  if (errors != problem.end() && errors->is_array()) {
    for (const auto& error : *errors) {
      if (!error.is_string()) continue;
      out += (out.empty() ? "" : "\n") + error.get<std::string>();
    }
  }
  for (const char* const key : {"detail", "title"}) {
    const auto found = problem.find(key);
    if (out.empty() && found != problem.end() && found->is_string()) out = *found;
  }
  return out;
}

}  // namespace

Failure failure_of(const Answer& answer, const std::string& request, const Address& address) {
  const int code = exit_code_of(answer.status);
  std::string text;
  if (answer.content_type.starts_with("application/problem+json")) {
    const auto problem = nlohmann::json::parse(answer.body, nullptr, false);
    if (problem.is_object()) text = lines_of(problem);
  } else if (answer.content_type.starts_with("text/plain")) {
    text = answer.body;
    while (text.ends_with('\n')) text.pop_back();
  }
  if (!text.empty()) return {code, text};
  return {code, address.text() + ": " + request + " was answered with status " +
                    std::to_string(answer.status) +
                    " and no reason; is it a qdiscsimd of this version that listens there?"};
}

}  // namespace qdiscsim::ctl
