// The description of the HTTP API, as it is served at /api/v1/openapi.json.
#pragma once

#include <string_view>

namespace qdiscsim {

// docs/openapi.json, which the build embeds.
std::string_view openapi_source() noexcept;

}  // namespace qdiscsim
