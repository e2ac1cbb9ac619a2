#include "daemon/http_request.h"

#include <algorithm>
#include <charconv>

namespace qdiscsim {
namespace {

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char code = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* end = text.data() + i + 3;
      if (std::from_chars(text.data() + i + 1, end, code, 16).ptr == end) {
        out += static_cast<char>(code);
        i += 2;
        continue;
      }
    }
    out += text[i] == '+' ? ' ' : text[i];
  }
  return out;
}

}  // namespace

std::string_view path_of(std::string_view target) noexcept {
  return target.substr(0, target.find_first_of("?#"));
}

QueryParameters query_of(std::string_view target) {
  QueryParameters out;
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return out;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    out.emplace_back(decoded(part.substr(0, equals)), equals == std::string_view::npos
                                                          ? std::string{}
                                                          : decoded(part.substr(equals + 1)));
  }
  return out;
}

bool prefers_text(std::string_view accept) {
  const std::size_t text = accept.find("text/plain");
  return text != std::string_view::npos && text < accept.find("application/json");
}

}  // namespace qdiscsim
