// SkbList: a first-in first-out list through Skb::next. Its owner only.
#pragma once

#include <cstdint>

#include "qdisc/skb.h"

namespace qdiscsim {

template <class Smp>
class SkbList {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  std::uint32_t size() const noexcept { return size_; }
  Skb<Smp>* front() const noexcept { return head_; }

  void push_back(Skb<Smp>* skb) noexcept {
    skb->next = nullptr;
    (tail_ == nullptr ? head_ : tail_->next) = skb;
    tail_ = skb;
    ++size_;
  }

  Skb<Smp>* pop_front() noexcept {
    Skb<Smp>* skb = head_;
    if (skb == nullptr) return nullptr;
    head_ = skb->next;
    if (head_ == nullptr) tail_ = nullptr;
    --size_;
    return skb;
  }

 private:
  Skb<Smp>* head_ = nullptr;
  Skb<Smp>* tail_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace qdiscsim
