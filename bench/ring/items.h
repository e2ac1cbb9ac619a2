// The items that the workloads send, and the checks of what arrives.
//
// An item carries its producer in the upper 16 bits (plus one, so that none is null) and a sequence
// below: the items of one producer are consecutive numbers. A check costs a few instructions an
// item and no branch that is ever taken, so that it keeps ahead of every ring.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qdiscsim::ring_bench {

static_assert(sizeof(void*) == 8, "an item carries producer and sequence in one pointer");

inline constexpr unsigned kSequenceBits = 48;
inline constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kSequenceBits) - 1;

inline constexpr std::uint64_t first_item(unsigned producer) noexcept {
  return std::uint64_t{producer + 1} << kSequenceBits;
}
inline void* as_pointer(std::uint64_t item) noexcept {
  return reinterpret_cast<void*>(item);
}
inline std::uint64_t as_item(const void* pointer) noexcept {
  return reinterpret_cast<std::uint64_t>(pointer);
}
inline void fill(void** items, std::uint64_t first, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) items[i] = as_pointer(first + i);
}

// "producer 3, item 17"; a value that no producer sends is shown as it is.
inline std::string item_text(std::uint64_t item) {
  const std::uint64_t who = item >> kSequenceBits;
  if (who == 0) return item == 0 ? "null" : "the value " + std::to_string(item);
  return "producer " + std::to_string(who - 1) + ", item " + std::to_string(item & kSequenceMask);
}

// How many of `count` items producer sends.
inline std::uint64_t share_of(std::uint64_t count, unsigned producers, unsigned producer) noexcept {
  return count / producers + (producer < count % producers ? 1 : 0);
}

// Each producer's items in order, none missing, none twice.
class OrderedArrivals {
 public:
  explicit OrderedArrivals(unsigned producers)
      : expected_(std::bit_ceil(std::size_t{producers} + 1)), mask_{expected_.size() - 1} {
    for (unsigned p = 0; p < producers; ++p) expected_[p + 1] = first_item(p);
  }

  // False: one of them was not the expected one; then error() tells.
  bool take(void* const* items, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t item = as_item(items[i]);
      std::uint64_t& expected = expected_[(item >> kSequenceBits) & mask_];
      if (item != expected) [[unlikely]] {
        wrong_ = {expected, item};
        return false;
      }
      expected = item + 1;
    }
    return true;
  }

  std::uint64_t arrived(unsigned producer) const noexcept {
    return expected_[producer + 1] - first_item(producer);
  }
  std::string error() const {
    return "order broken: expected " +
           (wrong_.expected == 0 ? std::string{"an item of a producer"}
                                 : item_text(wrong_.expected)) +
           ", found " + item_text(wrong_.found);
  }
  // At the end, when all have arrived: nothing more to say.
  std::string final_error() const { return {}; }

 private:
  struct Wrong {
    std::uint64_t expected = 0;
    std::uint64_t found = 0;
  };

  std::vector<std::uint64_t> expected_;  // by the item's upper bits; 0 where there is no producer
  std::size_t mask_;
  Wrong wrong_;
};

// For one producer: the expected item stays in a register.
class OrderedStream {
 public:
  explicit OrderedStream(unsigned /*producers*/) noexcept {}

  bool take(void* const* items, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      if (as_item(items[i]) != expected_) [[unlikely]] {
        found_ = as_item(items[i]);
        return false;
      }
      ++expected_;
    }
    return true;
  }
  std::uint64_t arrived(unsigned /*producer*/) const noexcept { return expected_ - first_item(0); }
  std::string error() const {
    return "order broken: expected " + item_text(expected_) + ", found " + item_text(found_);
  }
  std::string final_error() const { return {}; }

 private:
  std::uint64_t expected_ = first_item(0);
  std::uint64_t found_ = 0;
};

// For rings without an order: how many of each producer's, and the sum of their squares, which one
// item in the place of another changes.
class UnorderedArrivals {
 public:
  explicit UnorderedArrivals(unsigned producers) : sums_(producers) {}

  bool take(void* const* items, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t item = as_item(items[i]);
      const std::uint64_t producer = (item >> kSequenceBits) - 1;
      if (producer >= sums_.size()) [[unlikely]] {
        found_ = item;
        return false;
      }
      sums_[producer].count += 1;
      sums_[producer].squares += item * item;
    }
    return true;
  }
  std::uint64_t arrived(unsigned producer) const noexcept { return sums_[producer].count; }
  std::string error() const {
    return "content broken: expected an item of a producer, found " + item_text(found_);
  }
  std::string final_error() const {
    for (unsigned p = 0; p < sums_.size(); ++p) {
      std::uint64_t squares = 0;
      const std::uint64_t first = first_item(p);
      for (std::uint64_t i = 0; i < sums_[p].count; ++i) squares += (first + i) * (first + i);
      if (squares == sums_[p].squares) continue;
      return "content broken: producer " + std::to_string(p) + ", expected items 0 to " +
             std::to_string(sums_[p].count - 1) + " once each, found others";
    }
    return {};
  }

 private:
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t squares = 0;
  };
  std::vector<Sum> sums_;
  std::uint64_t found_ = 0;
};

}  // namespace qdiscsim::ring_bench
