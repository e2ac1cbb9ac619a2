// Text with styles, a line at a time: what a frame is made of before a terminal, or nobody's, shows
// it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qdiscsim::ctl {

enum class Style { kPlain, kBold, kDim, kGood, kWarn, kBad, kTitle };
inline constexpr int kStyles = 7;

struct Span {
  std::string text;
  Style style = Style::kPlain;
};

using Line = std::vector<Span>;

// Columns that a text takes: its code points. Names of the daemon and our own signs are one wide.
std::size_t columns(std::string_view text);
std::size_t columns(const Line& line);

// The first `width` columns, the last of them `~` when something is left out.
std::string fitted(const std::string& text, std::size_t width);
Line fitted(const Line& line, std::size_t width);

std::string plain(const Line& line);  // without blanks at the end

// A bar of `width` columns, filled to `ratio` (0 .. 1); above 0 never empty, below 1 never full.
std::string bar(double ratio, std::size_t width, bool utf8);

struct Cell {
  std::string text;
  Style style = Style::kPlain;
};

// Columns of cells. Columns are as wide as their widest cell and their least width, so that figures
// that grow do not move the others each second. The first `left` are aligned to the left.
class Columns {
 public:
  struct Column {
    std::string title;
    std::size_t least = 0;  // width
  };

  Columns(std::vector<Column> titles, std::size_t left);
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  std::size_t rows() const noexcept { return rows_.size(); }

  // The title, then the first rows; with more rows than `height` - 1 the last line says how many
  // are left out. None when height < 2.
  std::vector<Line> lines(std::size_t height) const;

 private:
  Line row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> titles_;
  std::size_t left_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace qdiscsim::ctl
