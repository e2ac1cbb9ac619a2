// Words: reads a written command the way pktgen does: separators between words, numbers that end at
// the first byte that is no digit. Source: linux net/core/pktgen.c, count_trail_chars(),
// strn_len(), num_arg(), hex32_arg().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qdiscsim::pktgenfs {

// Its value; -1 when it is no hexadecimal digit.
int hex_digit(char c) noexcept;

// The value in a printf format of one unsigned number, as "0x%02x".
std::string hex_text(const char* format, std::uint32_t value);

class Words {
 public:
  // equals_ends_word: see Rules.
  Words(std::string_view text, bool equals_ends_word) noexcept
      : text_{text}, equals_ends_word_{equals_ends_word} {}

  // The command's name, which the separators around it go with.
  std::string_view name(std::size_t most) noexcept;

  // Skips double quotes, spaces, tabs, line ends and '='.
  void skip_separators() noexcept;
  // The bytes up to the next separator, at most `most`; what is behind stays.
  std::string_view word(std::size_t most) noexcept;

  struct Number {
    std::uint64_t value = 0;
    std::size_t digits = 0;  // read
  };
  // Decimal, at most `most` digits (up to 10). No digit at all is 0.
  Number number(std::size_t most) noexcept;
  // The same with hexadecimal digits (up to 8).
  Number hex(std::size_t most) noexcept;

  bool at_end() const noexcept { return at_ >= text_.size(); }
  // Takes one byte; not at the end.
  char next() noexcept { return text_[at_++]; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool equals_ends_word_;
};

}  // namespace qdiscsim::pktgenfs
