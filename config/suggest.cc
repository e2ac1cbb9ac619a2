#include "config/suggest.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace qdiscsim::config {
namespace {

constexpr std::size_t kLongestName = 64;  // longer words are not compared

std::string folded(std::string_view name) {
  std::string result;
  for (const char c : name) {
    result += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

// Optimal string alignment distance.
std::size_t distance(const std::string& a, const std::string& b) {
  std::array<std::vector<std::size_t>, 3> rows;  // the row before the last, the last, this one
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[1][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& [before, last, row] = rows;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
  }
  return rows[1][b.size()];
}

}  // namespace

std::optional<std::string> closest(std::string_view typed,
                                   const std::vector<std::string>& candidates) {
  if (typed.empty() || typed.size() > kLongestName) return std::nullopt;
  const std::string wanted = folded(typed);
  std::optional<std::string> best;
  std::size_t best_distance = kLongestName;
  for (const std::string& candidate : candidates) {
    const std::size_t changes = distance(wanted, folded(candidate));
    const std::size_t allowed = std::max<std::size_t>(candidate.size() / 3, 1);
    if (changes <= allowed && changes < candidate.size() && changes < best_distance) {
      best = candidate;
      best_distance = changes;
    }
  }
  return best;
}

std::string join_or(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace qdiscsim::config
