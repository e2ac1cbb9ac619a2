#include "config/encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace qdiscsim::config {
namespace {

// Length of the well-formed sequence at the start of `text`, 0 if there is none. Limits of the
// second byte: The Unicode Standard, table 3-7.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                             : lead >= 0xe0 && lead <= 0xef ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  const std::uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

std::string hex(std::uint8_t byte) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", byte);
  return text;
}

}  // namespace

std::optional<BadByte> find_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<std::uint8_t>(text[at]);
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) {
      return BadByte{at, "byte " + hex(byte) + " is not valid UTF-8; save the file as UTF-8"};
    }
    const bool allowed = byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
    if (!allowed || byte == 0x7f) {
      return BadByte{at, "control character " + hex(byte) + " is not allowed; remove it"};
    }
    at += length;
  }
  return std::nullopt;
}

Position position_of_byte(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 == 0
  const auto column =
      1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start), before.end(),
                        [](char c) { return (static_cast<std::uint8_t>(c) & 0xc0U) != 0x80U; });
  return {0, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(column)};
}

}  // namespace qdiscsim::config
