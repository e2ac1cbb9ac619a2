#include "config/diagnostic.h"

#include <algorithm>

namespace qdiscsim::config {

std::string to_string(const Diagnostic& diagnostic) {
  std::string line = diagnostic.source;
  if (diagnostic.at.line != 0) {
    line += ':' + std::to_string(diagnostic.at.line) + ':' + std::to_string(diagnostic.at.column);
  }
  line += ": ";
  if (!diagnostic.key.empty()) line += diagnostic.key + ": ";
  return line + diagnostic.message;
}

void sort(std::vector<Diagnostic>& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.at < b.at; });
}

std::string quoted(const std::string& text) {
  constexpr std::size_t kShown = 40;
  std::string shown = "\"";
  std::size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xc0U) == 0x80U;
    if (!continuation && ++characters > kShown) {
      shown += "...";
      break;
    }
    shown += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return shown + '"';
}

}  // namespace qdiscsim::config
