#include "daemon/http_problem.h"

#include <nlohmann/json.hpp>

namespace qdiscsim {

HttpReply problem_reply(const Problem& problem) {
  nlohmann::ordered_json json{{"type", "urn:qdiscsim:problem:" + std::string{problem.type}},
                              {"title", problem.title},
                              {"status", problem.status},
                              {"detail", problem.detail},
                              {"instance", problem.instance}};
  if (!problem.errors.empty()) json["errors"] = problem.errors;
  HttpReply reply;
  reply.status = problem.status;
  reply.content_type = "application/problem+json";
  // A path may hold any bytes.
  reply.body = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return reply;
}

}  // namespace qdiscsim
