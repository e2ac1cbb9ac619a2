// AtomicRing: PtrRing's algorithm written down once more with plain std::atomic, no Smp
// policy, no Orders, no clear policy. Only bench/ring_micro.cc uses it: what PtrRing costs
// above it is what the policies cost, which must be nothing.
//
// One consumer and any number of producers through produce(); the _unlocked forms one of each.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace qdiscsim::bench {

class AtomicRing {
 public:
  explicit AtomicRing(std::size_t size)
      : size_{size},
        batch_{size < 32 ? 1U : 16U},  // two cache lines of pointers
        slots_{std::make_unique<std::atomic<void*>[]>(size == 0 ? 1 : size)} {}

  bool produce_unlocked(void* entry) noexcept {
    const std::size_t at = producer_;
    std::atomic<void*>& slot = slots_[at];
    if (slot.load(std::memory_order_relaxed) != nullptr || size_ == 0) return false;
    slot.store(entry, std::memory_order_release);
    producer_ = at + 1 == size_ ? 0 : at + 1;
    return true;
  }

  bool produce(void* entry) noexcept {
    lock();
    const bool stored = produce_unlocked(entry);
    unlock();
    return stored;
  }

  void* consume_unlocked() noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    void* entry = slots_[head].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    const std::size_t next = head + 1;
    const std::size_t tail = tail_;
    if (next - tail >= batch_ || next == size_) [[unlikely]] {
      // Newest first: the producer waits at the oldest slot, and finds it free when all are.
      std::atomic<void*>* const slots = slots_.get();
      for (std::size_t at = next; at > tail;) {
        slots[--at].store(nullptr, std::memory_order_relaxed);
      }
      tail_ = next == size_ ? 0 : next;
      head_.store(tail_, std::memory_order_relaxed);
    } else {
      head_.store(next, std::memory_order_relaxed);
    }
    return entry;
  }

 private:
  void lock() noexcept {
    while (lock_.exchange(true, std::memory_order_acquire)) [[unlikely]] {
        while (lock_.load(std::memory_order_relaxed)) {
        }
      }
  }
  void unlock() noexcept { lock_.store(false, std::memory_order_release); }

  alignas(64) std::size_t producer_ = 0;
  std::atomic<bool> lock_{false};
  alignas(64) std::atomic<std::size_t> head_{0};
  std::size_t tail_ = 0;
  alignas(64) std::size_t size_;
  std::size_t batch_;
  std::unique_ptr<std::atomic<void*>[]> slots_;
};

}  // namespace qdiscsim::bench
