// TextTable: columns of text, aligned with blanks. The first `left` columns are aligned to the
// left, the others, numbers, to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace qdiscsim {

class TextTable {
 public:
  TextTable(std::vector<std::string> titles, std::size_t left) : left_{left} {
    rows_.push_back(std::move(titles));
  }

  // As many cells as there are titles.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::size_t rows() const noexcept { return rows_.size() - 1; }

  // Each line begins with two blanks, ends with a line feed and has no blanks before it.
  std::string str() const;
  // The same for Markdown, where | and line feeds in a cell do no harm.
  std::string markdown() const;

 private:
  std::size_t left_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace qdiscsim
