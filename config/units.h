// Numbers as people write them in the configuration: `10Gbit`, `64KiB`, `1.5Mpps`, `250us`, and
// plain whole numbers. Exact: integer arithmetic only, a value that does not come out whole in the
// base unit is an error, and so is one beyond 2^64 - 1. No exceptions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qdiscsim::config {

struct Unit {
  std::string_view name;
  std::uint64_t factor;  // in base units
};

enum class Quantity : std::uint8_t { kSize, kBitRate, kPacketRate, kDuration };

// All units of a quantity, the base unit (factor 1) first, then ascending.
//   kSize        B, kB MB GB TB (1000), KiB MiB GiB TiB (1024)
//   kBitRate     bit, kbit Mbit Gbit Tbit (1000), per second; "/s" may follow
//   kPacketRate  pps, kpps Mpps Gpps
//   kDuration    ns, us, ms, s, min, h
std::span<const Unit> units_of(Quantity quantity);

// Either a value or what is wrong with the text, as the middle part of a message: names the text,
// says how to write it, does not end in a full stop.
struct Parsed {
  std::optional<std::uint64_t> value;
  std::string error;
  std::string suggestion{};  // what was probably meant, or empty
};

// Digits, optionally a decimal part, optionally one space, a unit. The unit may be missing from a
// zero only. Letter case counts (a unit in the wrong case is named in the error).
Parsed parse_quantity(std::string_view text, Quantity quantity);

// 0 or digits that do not start with 0: neither sign, base prefix, exponent, separator nor decimal
// point; the error shows the decimal way to write what was meant.
Parsed parse_integer(std::string_view text);

// The shortest text of whole digits and one unit that parses back to the same value: "1500kpps",
// "48MiB". Sizes use the 1024 units.
std::string format_quantity(std::uint64_t value, Quantity quantity);

}  // namespace qdiscsim::config
