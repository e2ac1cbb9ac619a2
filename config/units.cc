#include "config/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "config/diagnostic.h"
#include "config/suggest.h"

namespace qdiscsim::config {
namespace {

constexpr std::array<Unit, 9> kSizes{{{"B", 1},
                                      {"kB", 1'000},
                                      {"KiB", 1ULL << 10U},
                                      {"MB", 1'000'000},
                                      {"MiB", 1ULL << 20U},
                                      {"GB", 1'000'000'000},
                                      {"GiB", 1ULL << 30U},
                                      {"TB", 1'000'000'000'000},
                                      {"TiB", 1ULL << 40U}}};
constexpr std::array<Unit, 5> kBitRates{{{"bit", 1},
                                         {"kbit", 1'000},
                                         {"Mbit", 1'000'000},
                                         {"Gbit", 1'000'000'000},
                                         {"Tbit", 1'000'000'000'000}}};
constexpr std::array<Unit, 4> kPacketRates{
    {{"pps", 1}, {"kpps", 1'000}, {"Mpps", 1'000'000}, {"Gpps", 1'000'000'000}}};
constexpr std::array<Unit, 6> kDurations{{{"ns", 1},
                                          {"us", 1'000},
                                          {"ms", 1'000'000},
                                          {"s", 1'000'000'000},
                                          {"min", 60'000'000'000},
                                          {"h", 3'600'000'000'000}}};

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Multiply and add without losing a bit; false on overflow.
bool accumulate(std::uint64_t& value, std::uint64_t factor, std::uint64_t add) {
  if (factor != 0 && value > kMax / factor) return false;
  value *= factor;
  if (value > kMax - add) return false;
  value += add;
  return true;
}

std::optional<std::uint64_t> digits_to_number(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (!accumulate(value, 10, static_cast<std::uint64_t>(c - '0'))) return std::nullopt;
  }
  return value;
}

Parsed fail(std::string_view text, std::string_view what) {
  return {std::nullopt, quoted(std::string(text)) + ' ' + std::string(what), {}};
}

std::string without_leading_zeros(std::string_view digits) {
  const auto first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return std::string(digits.substr(first));
}

// The part behind the point in base units: 0.fraction * factor, exactly or not at all.
std::optional<std::uint64_t> fraction_of(std::string_view digits, std::uint64_t factor) {
  while (!digits.empty() && digits.back() == '0') digits.remove_suffix(1);
  if (digits.size() > 18) return std::nullopt;
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) scale *= 10;
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{digits_to_number(digits).value_or(0)} * factor;
  if (product % scale != 0) return std::nullopt;
  return static_cast<std::uint64_t>(product / scale);
}

Parsed unknown_unit(std::string_view text, std::string_view unit, std::span<const Unit> units) {
  std::vector<std::string> names;
  for (const Unit& known : units) names.emplace_back(known.name);
  const std::string what =
      unit.empty() ? "has no unit" : "has the unknown unit " + quoted(std::string(unit));
  Parsed parsed = fail(text, what + "; the units are " + join_or(names));
  // "bps" is not taken: it means bits to some programs and bytes to others (to tc, for one).
  std::string meant(unit);
  if (unit.ends_with("bps")) meant.replace(meant.size() - 3, 3, "bit");
  parsed.suggestion = closest(meant, names).value_or("");
  return parsed;
}

}  // namespace

std::span<const Unit> units_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::kSize:
      return kSizes;
    case Quantity::kBitRate:
      return kBitRates;
    case Quantity::kPacketRate:
      return kPacketRates;
    case Quantity::kDuration:
      break;
  }
  return kDurations;
}

Parsed parse_quantity(std::string_view text, Quantity quantity) {
  const auto units = units_of(quantity);
  const std::string_view whole = text.substr(0, text.find_first_not_of("0123456789"));
  std::string_view rest = text.substr(whole.size());
  std::string_view fraction;
  if (whole.empty()) {
    if (text.starts_with('-')) return fail(text, "is negative");
    return fail(text, "does not start with a digit");
  }
  if (whole.size() > 1 && whole.front() == '0') {
    return fail(text,
                "has a leading zero; write " + without_leading_zeros(whole) + std::string(rest));
  }
  if (rest.starts_with('.')) {
    fraction = rest.substr(1, rest.find_first_not_of("0123456789", 1) - 1);
    if (fraction.empty()) return fail(text, "has no digit after the point");
    rest.remove_prefix(1 + fraction.size());
  }
  std::string_view name = rest.starts_with(' ') ? rest.substr(1) : rest;
  if (quantity == Quantity::kBitRate && name.ends_with("/s")) name.remove_suffix(2);
  if (rest.empty() && whole == "0" && fraction.find_first_not_of('0') == fraction.npos)
    return {0, {}, {}};
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  if (unit == units.end()) return unknown_unit(text, name, units);

  const auto part = fraction_of(fraction, unit->factor);
  if (!part) {
    return fail(text, "is not a whole number of " + std::string(units.front().name));
  }
  auto value = digits_to_number(whole);
  if (!value || !accumulate(*value, unit->factor, *part))
    return fail(text, "is too large to count");
  return {value, {}, {}};
}

Parsed parse_integer(std::string_view text) {
  if (all_digits(text)) {
    if (text.size() > 1 && text.front() == '0') {
      return fail(text, "has a leading zero; write " + without_leading_zeros(text));
    }
    const auto value = digits_to_number(text);
    if (!value) return fail(text, "is too large to count");
    return {value, {}, {}};
  }
  if (text.size() > 2 && text[0] == '0') {
    const int base = text[1] == 'x' || text[1] == 'X'   ? 16
                     : text[1] == 'o' || text[1] == 'O' ? 8
                     : text[1] == 'b' || text[1] == 'B' ? 2
                                                        : 0;
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    if (base != 0 && std::from_chars(text.data() + 2, end, value, base).ptr == end) {
      return fail(text, "is not decimal; write " + std::to_string(value));
    }
  }
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (text.starts_with('-') && all_digits(text.substr(1))) return fail(text, "is negative");
  if (all_digits(digits)) return fail(text, "has a sign; write " + without_leading_zeros(digits));
  std::string joined(text);
  std::erase_if(joined, [](char c) { return c == '_' || c == ',' || c == '\''; });
  if (all_digits(joined) && joined.size() < text.size()) {
    return fail(text, "has digit separators; write " + without_leading_zeros(joined));
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size() && value >= 0 &&
      value < 1e15 && value == static_cast<double>(static_cast<std::uint64_t>(value))) {
    return fail(text, "is not written as a whole number; write " +
                          std::to_string(static_cast<std::uint64_t>(value)));
  }
  return fail(text, "is not a whole number");
}

std::string format_quantity(std::uint64_t value, Quantity quantity) {
  const auto units = units_of(quantity);
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    const bool decimal_size = quantity == Quantity::kSize && unit.name.size() == 2;
    if (value != 0 && value % unit.factor == 0 && !decimal_size) best = &unit;
  }
  if (value == 0 && quantity == Quantity::kDuration) return "0s";
  return std::to_string(value / best->factor) + std::string(best->name);
}

}  // namespace qdiscsim::config
