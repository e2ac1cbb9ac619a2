#include "ctl/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace qdiscsim::ctl {
namespace {

bool begins_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_code_point));
}

std::size_t columns(const Line& line) {
  std::size_t out = 0;
  for (const Span& span : line) out += columns(span.text);
  return out;
}

std::string fitted(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (begins_code_point(text[end]) && ++seen == width) break;
  }
  return text.substr(0, end) + '~';
}

Line fitted(const Line& line, std::size_t width) {
  Line out;
  for (const Span& span : line) {
    const std::size_t room = width - columns(out);
    if (room == 0) break;
    out.push_back({fitted(span.text, room), span.style});
  }
  return out;
}

std::string plain(const Line& line) {
  std::string out;
  for (const Span& span : line) out += span.text;
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string bar(double ratio, std::size_t width, bool utf8) {
  const std::size_t steps = utf8 ? 8 : 1;
  const std::size_t all = width * steps;
  auto filled =
      static_cast<std::size_t>(std::lround(std::clamp(ratio, 0.0, 1.0) * static_cast<double>(all)));
  if (ratio > 0) filled = std::max<std::size_t>(filled, 1);
  if (ratio < 1 && filled == all && all > 1) filled = all - 1;
  std::string out;
  for (std::size_t i = 0; i < filled / steps; ++i) out += utf8 ? "█" : "#";
  if (utf8) out += kEighths[filled % steps];
  for (std::size_t i = columns(out); i < width; ++i) out += utf8 ? "·" : "-";
  return out;
}

Columns::Columns(std::vector<Column> titles, std::size_t left)
    : titles_{std::move(titles)}, left_{left} {}

Line Columns::row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths) const {
  Line out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string fill(widths[i] - std::min(widths[i], columns(cells[i].text)), ' ');
    const std::string gap = i == 0 ? "" : " ";
    out.push_back(
        {gap + (i < left_ ? cells[i].text + fill : fill + cells[i].text), cells[i].style});
  }
  return out;
}

std::vector<Line> Columns::lines(std::size_t height) const {
  if (height < 2) return {};
  std::vector<std::size_t> widths;
  std::vector<Cell> heads;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    std::size_t width = std::max(titles_[i].least, columns(titles_[i].title));
    for (const auto& cells : rows_) width = std::max(width, columns(cells[i].text));
    widths.push_back(width);
    heads.push_back({titles_[i].title, Style::kTitle});
  }
  std::vector<Line> out{row(heads, widths)};
  const bool all = rows_.size() <= height - 1;
  const std::size_t shown = all ? rows_.size() : height - 2;
  for (std::size_t i = 0; i < shown; ++i) out.push_back(row(rows_[i], widths));
  if (!all) {
    out.push_back({{fmt::format("... {} more", rows_.size() - shown), Style::kDim}});
  }
  return out;
}

}  // namespace qdiscsim::ctl
