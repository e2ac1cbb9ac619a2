#include "text/text_table.h"

#include <algorithm>

#include "base/check.h"

namespace qdiscsim {

std::string TextTable::str() const {
  std::vector<std::size_t> widths(rows_[0].size());
  for (const auto& row : rows_) {
    QDISCSIM_CHECK_EQ(row.size(), widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - row[i].size(), ' ');
      line += "  ";
      line += i < left_ ? row[i] + fill : fill + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string TextTable::markdown() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) {
      out += ' ';
      for (const char c : cell) {
        if (c == '|') out += '\\';
        out += c == '\n' ? ' ' : c;
      }
      out += " |";
    }
    return out + '\n';
  };
  std::vector<std::string> rule;
  for (std::size_t i = 0; i < rows_[0].size(); ++i) rule.emplace_back(i < left_ ? "---" : "---:");
  std::string out = line(rows_[0]) + line(rule);
  for (std::size_t i = 1; i < rows_.size(); ++i) out += line(rows_[i]);
  return out;
}

}  // namespace qdiscsim
