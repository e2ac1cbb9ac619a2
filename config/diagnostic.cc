#include "config/diagnostic.h"

#include <algorithm>

namespace qdiscsim::config {
namespace {

// One readable line of at most `longest` characters: a key or a value may hold anything.
std::string printable(const std::string& text, std::size_t longest) {
  std::string shown;
  std::size_t characters = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xc0U) == 0x80U;
    if (!continuation && ++characters > longest) {
      shown += "...";
      break;
    }
    shown += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return shown;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  std::string line = diagnostic.source;
  if (diagnostic.at.line != 0) {
    line += ':' + std::to_string(diagnostic.at.line) + ':' + std::to_string(diagnostic.at.column);
  }
  line += ": ";
  if (!diagnostic.key.empty()) line += printable(diagnostic.key, 120) + ": ";
  return line + diagnostic.message;
}

void sort(std::vector<Diagnostic>& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.at < b.at; });
}

std::string quoted(const std::string& text) {
  return '"' + printable(text, 40) + '"';
}

}  // namespace qdiscsim::config
