// What a PtrRing does, said with a std::deque: the oracle of the random walks. Its generations
// differ here only in when a consumed slot is free again.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace qdiscsim::test {

// ZeroBatch, unless said otherwise.
struct RingRules {
  std::size_t batch = 16;  // 16 pointers are two cache lines
  bool flush_on_empty = false;
};

template <class T>
class RingModel {
 public:
  explicit RingModel(std::size_t size, RingRules rules = {}) : rules_{rules}, size_{size} {}

  std::size_t size() const { return size_; }
  const std::deque<T>& entries() const { return entries_; }

  // A consumed slot is free only when its batch was cleared.
  bool full() const { return entries_.size() + uncleared_ == size_; }

  bool produce(T entry) {
    if (full()) return false;
    entries_.push_back(entry);
    return true;
  }

  T peek() const { return entries_.empty() ? T{} : entries_.front(); }

  T consume() {
    if (entries_.empty()) {
      if (rules_.flush_on_empty) uncleared_ = 0;
      return T{};
    }
    const T entry = entries_.front();
    entries_.pop_front();
    ++head_;
    ++uncleared_;
    if (uncleared_ >= batch() || head_ == size_) uncleared_ = 0;
    if (head_ == size_) head_ = 0;
    return entry;
  }

  // given: oldest first. Returns what found no room: the oldest.
  std::vector<T> unconsume(std::vector<T> given) {
    uncleared_ = 0;
    while (!given.empty() && entries_.size() < size_) {
      entries_.push_front(given.back());
      given.pop_back();
      head_ = head_ == 0 ? size_ - 1 : head_ - 1;
    }
    return given;
  }

  // Returns what found no room: the newest, oldest of them first.
  std::vector<T> resize(std::size_t size) {
    std::vector<T> dropped;
    while (entries_.size() > size) {
      dropped.insert(dropped.begin(), entries_.back());
      entries_.pop_back();
    }
    size_ = size;
    head_ = 0;
    uncleared_ = 0;
    return dropped;
  }

 private:
  // A ring too small for two batches clears one by one.
  std::size_t batch() const { return size_ < 2 * rules_.batch ? 1 : rules_.batch; }

  RingRules rules_;
  std::size_t size_;
  std::deque<T> entries_;
  std::size_t head_ = 0;       // array position of the oldest entry
  std::size_t uncleared_ = 0;  // consumed slots before head_ that still look occupied
};

}  // namespace qdiscsim::test
