#include "bench/ring/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include "config/diagnostic.h"
#include "config/suggest.h"
#include "config/units.h"

namespace qdiscsim::ring_bench {
namespace {

// What was typed, as far as it is one readable word.
std::string shown(const std::string& text) {
  const bool plain =
      !text.empty() && text.size() <= 40 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
  return plain ? text : config::quoted(text);
}

[[noreturn]] void wrong(std::string_view flag, const std::string& text, const std::string& right) {
  throw BadOption{fmt::format("{} {}: must be {}", flag, shown(text), right)};
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string suggestion(const std::string& typed, const std::vector<std::string>& names) {
  const std::optional<std::string> meant = config::closest(typed, names);
  return meant ? fmt::format("; did you mean {}?", *meant) : "";
}

template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  names.reserve(things.size());
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

}  // namespace

std::uint64_t number(std::string_view flag, const std::string& text, Range range,
                     std::string_view besides) {
  const config::Parsed parsed = config::parse_integer(text);
  const std::string allowed = fmt::format("{} to {}{}", range.low, range.high, besides);
  if (!parsed.value) {
    // "-5" and a number beyond 64 bits are whole numbers, only not in the range.
    const auto digits = text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0);
    const bool whole = digits == std::string::npos && text.size() > 1 && !text.starts_with('0');
    wrong(flag, text, whole ? allowed : "a whole number, " + allowed);
  }
  if (*parsed.value < range.low || *parsed.value > range.high) wrong(flag, text, allowed);
  return *parsed.value;
}

std::vector<std::uint64_t> numbers(std::string_view flag, const std::string& text, Range range) {
  std::vector<std::uint64_t> result;
  for (const std::string& part : split(text)) {
    const std::uint64_t value = number(flag, part, range);
    if (std::find(result.begin(), result.end(), value) != result.end()) {
      throw BadOption{fmt::format("{} {}: {} is named twice", flag, shown(text), value)};
    }
    result.push_back(value);
  }
  return result;
}

Nanoseconds duration(std::string_view flag, const std::string& text, Nanoseconds low,
                     Nanoseconds high) {
  const auto name = [](Nanoseconds ns) {
    return config::format_quantity(ns, config::Quantity::kDuration);
  };
  const std::string allowed = name(low) + " to " + name(high);
  const config::Parsed parsed = config::parse_quantity(text, config::Quantity::kDuration);
  if (!parsed.value) wrong(flag, text, "a time with its unit, " + allowed);
  if (*parsed.value < low || *parsed.value > high) wrong(flag, text, allowed);
  return *parsed.value;
}

double percent(std::string_view flag, const std::string& text, double low, double high) {
  double value = 0;
  std::string_view digits = text;
  if (digits.ends_with('%')) digits.remove_suffix(1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                    std::chars_format::fixed);
  const bool all = read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
  if (!all || !(value >= low && value <= high)) {
    wrong(flag, text, fmt::format("{} to {} percent", low, high));
  }
  return value;
}

std::vector<int> cpu_list(std::string_view flag, const std::string& text,
                          const config::Cpus& cpus) {
  if (text == "none") return {};
  const std::string right =
      fmt::format("none or CPUs out of {}, as in 0,2-3", config::format_cpu_list(cpus.allowed));
  std::vector<int> result;
  for (const std::string& part : split(text)) {
    const std::vector<std::uint32_t> some = config::parse_cpu_list(part);
    if (some.empty()) wrong(flag, text, right);
    for (const std::uint32_t cpu : some) {
      if (!std::binary_search(cpus.allowed.begin(), cpus.allowed.end(), cpu)) {
        wrong(flag, text, right);
      }
      result.push_back(static_cast<int>(cpu));
    }
  }
  return result;
}

void check_size(const Mode& mode, std::size_t size) {
  if (mode.most_buffers == 0 || (std::has_single_bit(size) && size <= mode.most_buffers)) return;
  throw BadOption{fmt::format("-s {}: must be a power of two, 2 to {}, in mode {}", size,
                              mode.most_buffers, mode.name)};
}

const Mode& find_mode(const Registry& registry, const std::string& text) {
  const std::vector<Mode>& modes = registry.modes();
  const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && !text.empty()) {
    return modes[number("-m", text, {0, modes.size() - 1})];
  }
  const auto found =
      std::find_if(modes.begin(), modes.end(), [&](const Mode& m) { return m.name == text; });
  if (found == modes.end()) {
    const std::vector<std::string> names = names_of(modes);
    throw BadOption{fmt::format("-m {}: must be 0 to {}, or {}{}", shown(text), modes.size() - 1,
                                config::join_or(names), suggestion(text, names))};
  }
  return *found;
}

std::vector<const Variant*> find_variants(const Mode& mode, const std::vector<std::string>& names) {
  std::vector<const Variant*> result;
  for (const std::string& name : names) {
    bool found = false;
    for (const Variant& variant : mode.variants) {
      if (name != "all" && name != variant.name) continue;
      result.push_back(&variant);
      found = true;
    }
    if (!found) {
      throw BadOption{fmt::format("mode {} has no ring {}{}; ring_bench list shows all", mode.name,
                                  shown(name), suggestion(name, names_of(mode.variants)))};
    }
  }
  return result;
}

}  // namespace qdiscsim::ring_bench
