#include "pktgenfs/words.h"

#include <array>
#include <cstdio>

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::string_view kSeparators = "\"\n\r\t =";
constexpr std::string_view kWordEnds = "\"\n\r\t ";

}  // namespace

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string hex_text(const char* format, std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string_view Words::name(std::size_t most) noexcept {
  skip_separators();
  const std::string_view name = word(most);
  skip_separators();
  return name;
}

void Words::skip_separators() noexcept {
  while (!at_end() && kSeparators.find(text_[at_]) != std::string_view::npos) ++at_;
}

std::string_view Words::word(std::size_t most) noexcept {
  const std::string_view ends = equals_ends_word_ ? kSeparators : kWordEnds;
  const std::size_t from = at_;
  while (!at_end() && at_ - from < most && ends.find(text_[at_]) == std::string_view::npos) ++at_;
  return text_.substr(from, at_ - from);
}

Words::Number Words::number(std::size_t most) noexcept {
  Number number;
  while (!at_end() && number.digits < most && text_[at_] >= '0' && text_[at_] <= '9') {
    number.value = number.value * 10 + static_cast<std::uint64_t>(text_[at_++] - '0');
    ++number.digits;
  }
  return number;
}

Words::Number Words::hex(std::size_t most) noexcept {
  Number number;
  while (!at_end() && number.digits < most) {
    const int digit = hex_digit(text_[at_]);
    if (digit < 0) break;
    number.value = number.value << 4U | static_cast<std::uint64_t>(digit);
    ++at_;
    ++number.digits;
  }
  return number;
}

}  // namespace qdiscsim::pktgenfs
