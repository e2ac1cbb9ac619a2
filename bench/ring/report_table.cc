#include "bench/ring/report_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace qdiscsim::ring_bench {

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(rows_[0].size(), 3);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string Table::cell(std::size_t row, std::size_t column, std::size_t width) const {
  const std::string& text = rows_[row][column];
  const std::string fill(width - text.size(), ' ');
  return sides_[column] == 'l' ? text + fill : fill + text;
}

std::string Table::text() const {
  const std::vector<std::size_t> width = widths();
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < width.size(); ++i)
      line += (i == 0 ? "" : "  ") + cell(r, i, width[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string Table::markdown() const {
  const std::vector<std::size_t> width = widths();
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < width.size(); ++i) out += "| " + cell(r, i, width[i]) + " ";
    out += "|\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < width.size(); ++i) {
      out += "|" + std::string(width[i] + 1, '-') + (sides_[i] == 'l' ? "-" : ":");
    }
    out += "|\n";
  }
  return out;
}

std::string wrap(const std::string& text, std::size_t width, const std::string& indent) {
  std::istringstream words{text};
  std::string out;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = indent + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return out + line + "\n";
}

std::string figure(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "-";
  if (size == 0) return "0";
  if (size >= 9999.5) return count(value);
  if (size >= 999.5) return fmt::format("{:.0f}", value);
  if (size >= 99.95) return fmt::format("{:.1f}", value);
  if (size >= 9.995) return fmt::format("{:.2f}", value);
  if (size >= 0.0005) return fmt::format("{:.3f}", value);
  return value > 0 ? "<0.001" : "-<0.001";
}

std::string count(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return (value < 0 ? "-" : "") + digits;
}

}  // namespace qdiscsim::ring_bench
