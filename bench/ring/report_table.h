// A table that reads well on a terminal and, as Markdown, in a commit message: the same columns,
// aligned, with or without bars.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace qdiscsim::ring_bench {

class Table {
 public:
  // sides: one letter a column, l aligned to the left (words), r to the right (numbers).
  Table(std::vector<std::string> titles, std::string sides) : sides_{std::move(sides)} {
    rows_.push_back(std::move(titles));
  }

  // As many cells as there are titles.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  std::string text() const;
  std::string markdown() const;

 private:
  std::vector<std::size_t> widths() const;
  std::string cell(std::size_t row, std::size_t column, std::size_t width) const;

  std::string sides_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a line of a report should not exceed: a commit message is indented by four.
inline constexpr std::size_t kReportWidth = 98;

// Breaks text at blanks into lines of at most `width` columns; all but the first begin with
// `indent`. A word that is longer than a line stays whole.
std::string wrap(const std::string& text, std::size_t width, const std::string& indent);

// Figures for human eyes: about four digits, never an exponent.
std::string figure(double value);
std::string count(double value);  // "2,000,000"

}  // namespace qdiscsim::ring_bench
