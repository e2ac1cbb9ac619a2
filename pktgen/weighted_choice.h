// WeightedChoice: draws one of a few values with given weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.h"

namespace qdiscsim {

class WeightedChoice {
 public:
  struct Entry {
    std::uint32_t value;
    std::uint32_t weight;  // >= 1; the sum of all stays below 2^32
  };

  // slots == 0: exact proportions. Else each entry gets its share of that many slots, rounded down,
  // and the last one what is left (pktgen's IMIX uses 100).
  explicit WeightedChoice(std::span<const Entry> entries, std::uint32_t slots = 0) {
    std::uint64_t total = 0;
    for (const Entry& entry : entries) total += entry.weight;
    total_ = slots == 0 ? static_cast<std::uint32_t>(total) : slots;
    std::uint64_t end = 0;
    for (const Entry& entry : entries) {
      end += slots == 0 ? entry.weight : std::uint64_t{entry.weight} * slots / total;
      limits_.push_back({entry.value, static_cast<std::uint32_t>(end)});
    }
    if (!limits_.empty()) limits_.back().weight = total_;
  }

  bool fixed() const noexcept { return limits_.size() == 1; }
  std::uint32_t first() const noexcept { return limits_.front().value; }

  std::uint32_t draw(Prng& prng) const noexcept { return limits_[draw_index(prng)].value; }

  // Which entry it is.
  std::size_t draw_index(Prng& prng) const noexcept {
    const std::uint32_t point = prng.below(total_);
    std::size_t index = 0;
    while (index + 1 < limits_.size() && point >= limits_[index].weight) ++index;
    return index;
  }
  std::uint32_t value(std::size_t index) const noexcept { return limits_[index].value; }

  // How many slots the entry at `index` got, for display and tests.
  std::uint32_t slots(std::size_t index) const noexcept {
    return limits_[index].weight - (index == 0 ? 0 : limits_[index - 1].weight);
  }

 private:
  std::vector<Entry> limits_;  // weight: end of the entry's slots
  std::uint32_t total_ = 0;
};

}  // namespace qdiscsim
