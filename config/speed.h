// How fast a capture is replayed, as people write it: `1x`, `0.5x`, `max`, `1.5Mpps`. Exact, and
// without exceptions, as units.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/units.h"

namespace qdiscsim::config {

inline constexpr std::uint64_t kMostFactor = 1'000'000;  // thousandths
inline constexpr std::uint64_t kMostPacketRate = 1'000'000'000'000;

// A speed in one number, as the schema hands values around, and back.
constexpr std::uint64_t number_of(Speed speed) {
  return static_cast<std::uint64_t>(speed.kind) << 62U | speed.value;
}
constexpr Speed speed_of(std::uint64_t number) {
  return {static_cast<SpeedKind>(number >> 62U), number << 2U >> 2U};
}

// The number of a speed, or what is wrong with the text.
Parsed parse_speed(std::string_view text);

// The shortest text that parses back to the same: "0.5x", "max", "1500kpps".
std::string format_speed(Speed speed);

// "a factor from 0.001x to 1000x, max, or ..."
std::string allowed_speeds();

}  // namespace qdiscsim::config
