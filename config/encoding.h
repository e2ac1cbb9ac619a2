// Bytes to characters: what of a text file's encoding a configuration may use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostic.h"

namespace qdiscsim::config {

struct BadByte {
  std::size_t offset;  // of the first offending byte
  std::string what;
};

// The first sequence that is not UTF-8 as Unicode defines it (no overlong forms, no surrogates,
// nothing above U+10FFFF), or a control character other than tab, line feed and carriage return.
std::optional<BadByte> find_bad_byte(std::string_view text);

// Line and column of a byte. Lines end with a line feed.
Position position_of_byte(std::string_view text, std::size_t offset);

}  // namespace qdiscsim::config
