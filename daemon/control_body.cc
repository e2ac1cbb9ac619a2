#include "daemon/control_body.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "daemon/http_problem.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

// As a value of YAML in one line: JSON is one, but a text in quotes is no number or word there.
std::string yaml_of(const Json& value) {
  if (value.is_null()) return "";  // removes the key: its default
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  });
  return plain ? text : value.dump();
}

void add_overrides(const std::string& key, const Json& value, bool into_maps,
                   const std::string& option, std::vector<config::Override>& out) {
  if (into_maps && value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      add_overrides(key + '.' + name, inner, into_maps, option, out);
    }
    return;
  }
  out.emplace_back(key + '=' + yaml_of(value), option);
}

// Whether brackets are nested deeper than any configuration: what takes JSON apart calls itself for
// each level.
bool too_deep(std::string_view json) {
  constexpr int kMost = 32;
  int depth = 0;
  int deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest > kMost;
}

HttpReply bad_body(const ControlRequest& request, unsigned status, std::string detail) {
  return problem_reply({.status = status,
                        .type = "bad-body",
                        .title = "The request's body cannot be used",
                        .detail = std::move(detail),
                        .instance = request.path});
}

}  // namespace

std::variant<Json, HttpReply> object_of(const ControlRequest& request) {
  if (!request.content_type.starts_with("application/json") &&
      !request.content_type.starts_with("application/merge-patch+json")) {
    return bad_body(request, 415, "the body must be JSON: Content-Type: application/json");
  }
  if (too_deep(request.body)) {
    return bad_body(request, 400, "the body is nested more than 32 levels deep");
  }
  Json body = Json::parse(request.body, nullptr, false);
  if (body.is_discarded() || !body.is_object() || body.empty()) {
    return bad_body(request, 400,
                    "the body must be a JSON object of keys and values, such as {\"threads\": 2}");
  }
  return body;
}

HttpReply wrong_change(const ControlRequest& request, std::vector<std::string> reasons) {
  return problem_reply({.status = 422,
                        .type = "wrong-change",
                        .title = "A key or a value is wrong; nothing has changed",
                        .detail = reasons.empty() ? "no reason was given" : reasons.front(),
                        .instance = request.path,
                        .errors = std::move(reasons)});
}

std::variant<std::vector<config::Override>, HttpReply> overrides_of(const ControlRequest& request,
                                                                    const Json& object,
                                                                    const std::string& entry,
                                                                    bool into_maps) {
  std::vector<config::Override> overrides;
  for (const auto& [key, value] : object.items()) {
    if (key.find_first_of(".[=") != std::string::npos) {
      return wrong_change(request, {"\"" + key + "\" is not a key; nest maps instead"});
    }
    add_overrides(entry + '.' + key, value, into_maps, request.path, overrides);
  }
  return overrides;
}

}  // namespace qdiscsim
