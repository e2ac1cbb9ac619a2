#include "config/speed.h"

#include "config/diagnostic.h"

namespace qdiscsim::config {
namespace {

constexpr std::string_view kMaxWord = "max";
constexpr std::string_view kDigits = "0123456789";
constexpr std::uint64_t kThousandths = 1'000;
constexpr std::size_t kDecimals = 3;

Parsed refuse(std::string_view text, const std::string& what, std::string suggestion = {}) {
  return {std::nullopt, quoted(std::string(text)) + ' ' + what, std::move(suggestion)};
}

// Digits with at most three behind a point, in front of the x.
Parsed parse_factor(std::string_view text) {
  const std::string_view number = text.substr(0, text.size() - 1);
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  std::string decimals(point == number.npos ? "0" : number.substr(point + 1));
  if (whole.empty() || decimals.empty() || whole.find_first_not_of(kDigits) != whole.npos ||
      decimals.find_first_not_of(kDigits) != decimals.npos) {
    return refuse(text, "is no factor");
  }
  while (decimals.size() > kDecimals && decimals.back() == '0') decimals.pop_back();
  if (decimals.size() > kDecimals) return refuse(text, "has more than three decimals");
  decimals.resize(kDecimals, '0');
  Parsed units = parse_integer(whole);
  if (!units.value) return units;
  const std::uint64_t thousandths = std::stoull(decimals);
  if (*units.value > kMostFactor / kThousandths ||
      *units.value * kThousandths + thousandths > kMostFactor) {
    return refuse(text, "is too large");
  }
  const std::uint64_t value = *units.value * kThousandths + thousandths;
  if (value == 0) return refuse(text, "is too small");
  return {number_of({SpeedKind::kFactor, value}), {}, {}};
}

}  // namespace

Parsed parse_speed(std::string_view text) {
  if (text == kMaxWord) return {number_of({SpeedKind::kMax, 0}), {}, {}};
  if (text.ends_with('x')) return parse_factor(text);
  if (!text.ends_with("pps")) {
    const bool number = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
    const bool factor = number && parse_factor(std::string(text) + 'x').value;
    return refuse(text, "is no speed", factor ? std::string(text) + 'x' : "");
  }
  Parsed rate = parse_quantity(text, Quantity::kPacketRate);
  if (!rate.value) return rate;
  if (*rate.value == 0) return refuse(text, "is too small");
  if (*rate.value > kMostPacketRate) return refuse(text, "is too large");
  return {number_of({SpeedKind::kPacketRate, *rate.value}), {}, {}};
}

std::string format_speed(Speed speed) {
  switch (speed.kind) {
    case SpeedKind::kMax:
      return std::string(kMaxWord);
    case SpeedKind::kPacketRate:
      return format_quantity(speed.value, Quantity::kPacketRate);
    case SpeedKind::kFactor:
      break;
  }
  std::string text = std::to_string(speed.value / kThousandths);
  if (speed.value % kThousandths != 0) {
    text += '.' + std::to_string(kThousandths + speed.value % kThousandths).substr(1);
    while (text.back() == '0') text.pop_back();
  }
  return text + 'x';
}

std::string allowed_speeds() {
  return "a factor from " + format_speed({SpeedKind::kFactor, 1}) + " to " +
         format_speed({SpeedKind::kFactor, kMostFactor}) +
         ", max, or a packet rate such as 1.5Mpps";
}

}  // namespace qdiscsim::config
