// Cpu: one data-plane thread as the kernel's transmit path sees it, with its softirq output list.
//
// netif_schedule() appends a qdisc to the list of the CPU it runs on; that CPU works the list off
// after its current packet (run_softirqs), as the kernel does when bottom halves are enabled again.
// Only the owning thread touches a Cpu, except for `quiescence`, which the control thread reads.
#pragma once

#include "base/cacheline.h"
#include "base/cpu_id.h"
#include "base/quiescence.h"

namespace qdiscsim {

template <class Smp>
class Cpu;

// What can stand on an output list: a qdisc. It is on at most one list at a time (its SCHED bit).
template <class Smp>
class Schedulable {
 public:
  Schedulable() = default;
  Schedulable(const Schedulable&) = delete;
  Schedulable& operator=(const Schedulable&) = delete;
  virtual ~Schedulable() = default;

  virtual void run_from_softirq(Cpu<Smp>& cpu) noexcept = 0;

 private:
  friend class Cpu<Smp>;
  Schedulable* next_scheduled_ = nullptr;
};

template <class Smp>
class alignas(kCacheLine) Cpu {
 public:
  // After this many rounds without a pause the rest waits for the next call, as it would for
  // ksoftirqd: one stubborn queue must not keep a generator from its schedule.
  static constexpr unsigned kMaxRounds = 10;

  explicit Cpu(CpuId id) noexcept : id_{id} {}

  CpuId id() const noexcept { return id_; }

  void raise(Schedulable<Smp>& item) noexcept {
    item.next_scheduled_ = nullptr;
    (tail_ == nullptr ? head_ : tail_->next_scheduled_) = &item;
    tail_ = &item;
  }

  bool softirq_pending() const noexcept { return head_ != nullptr; }

  void run_softirqs() noexcept {
    if (softirq_pending()) run_pending();
  }

  QuiescentReader<Smp> quiescence;

 private:
  [[gnu::noinline]] void run_pending() noexcept {
    for (unsigned round = 0; head_ != nullptr && round < kMaxRounds; ++round) {
      Schedulable<Smp>* item = head_;
      head_ = nullptr;
      tail_ = nullptr;
      while (item != nullptr) {
        // Read first: the item may be raised again, here or on another CPU, while it runs.
        Schedulable<Smp>* const next = item->next_scheduled_;
        item->run_from_softirq(*this);
        item = next;
      }
    }
  }

  CpuId id_;
  Schedulable<Smp>* head_ = nullptr;
  Schedulable<Smp>* tail_ = nullptr;
};

}  // namespace qdiscsim
