// The description of the API names exactly what the routers know.
#include "daemon/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "daemon/control_routes.h"
#include "daemon/http_routes.h"
#include "tests/daemon/sample_snapshot.h"

namespace qdiscsim {
namespace {

std::set<std::string> described(const nlohmann::json& document) {
  std::set<std::string> all;
  for (const auto& [path, operations] : document.at("paths").items()) {
    for (const auto& [verb, operation] : operations.items()) {
      std::string method = verb;
      std::transform(method.begin(), method.end(), method.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      all.insert(method + ' ' + path);
    }
  }
  return all;
}

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  std::set<std::string> routes;
  for (const std::string& path : http_paths()) routes.insert("GET " + path);
  for (const std::string& address : control_addresses()) routes.insert(address);
  EXPECT_EQ(described(nlohmann::json::parse(openapi_source())), routes);
}

TEST(OpenApi, DescribesOnlyWhatIsAnswered) {
  FakeSource source;
  DaemonState state;
  state.set_phase(Phase::kReady);
  HttpRoutes routes{source, state};
  for (const std::string& path : http_paths()) {
    EXPECT_EQ(routes.handle("GET", path).status, 200U) << path;
    EXPECT_FALSE(is_control_path(path)) << path;
  }
  for (const std::string& address : control_addresses()) {
    EXPECT_TRUE(is_control_path(address.substr(address.find(' ') + 1))) << address;
  }
  EXPECT_EQ(routes.handle("GET", "/api/v1/openapi.json").body, openapi_source());
}

}  // namespace
}  // namespace qdiscsim
