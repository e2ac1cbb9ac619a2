// One mistake in a configuration: where it is and what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace qdiscsim::config {

// Line and column count from 1; the column counts characters, not bytes. Line 0: the whole source.
struct Position {
  std::uint32_t source = 0;  // 0 = the file, n = the n-th override
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

struct Diagnostic {
  std::string source;  // file name as given, or an option such as `--set`
  Position at;
  std::string key;      // dotted path such as devices[0].link.rate; empty for the whole document
  std::string message;  // what is wrong, what is allowed, did you mean …

  bool operator==(const Diagnostic&) const = default;
};

// `file:line:column: key: message`, without the parts that are unknown. One line, no line feed.
std::string to_string(const Diagnostic& diagnostic);

// In reading order: the file before the overrides, then by line and column.
void sort(std::vector<Diagnostic>& diagnostics);

// A value from the user's file for a message: in double quotes, control characters and everything
// after the first 40 characters replaced, so that a message is always one readable line.
std::string quoted(const std::string& text);

}  // namespace qdiscsim::config
