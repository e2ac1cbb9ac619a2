// How one side of a vring wakes the other inside the process: what an eventfd and vhost's work list
// do in the kernel.
//
//   EventCounter   an eventfd: signal() adds to a count and calls whoever is attached; take() reads
//                  and clears the count
//   WorkList       the worker's list: queue() puts a piece of work on it unless it is there
//                  already; the worker takes all of it and runs each piece
//
// Any thread may signal and queue. attach() before threads start; take(), run_all() and wait() only
// by the one thread that listens. Work that is queued while it runs, runs again.
// Source of the behaviour: linux fs/eventfd.c; vhost_poll, vhost_work and the vhost worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

struct NotifierOrders {
  // The count, read without the lock by a sleeper. What was done before signal() is visible after
  // wait(). Partners of each other.
  static constexpr smp::order raise = smp::release;
  static constexpr smp::order sense = smp::acquire;
  // Work is on the list at most once: both sides exchange one flag. Who finds it set may rely on a
  // run that begins later and sees all that was written before queue().
  static constexpr smp::order claim = smp::acq_rel;
  static constexpr smp::order begin = smp::acq_rel;
  // The list's head: a piece of work is linked before it can be taken.
  static constexpr smp::order push = smp::release;
  static constexpr smp::order grab = smp::acquire;
};

template <class Smp, class Orders = NotifierOrders>
class alignas(kCacheLine) EventCounter {
 public:
  // Whoever is attached; called under the counter's lock, so it must not signal the same counter.
  class Waiter {
   public:
    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual ~Waiter() = default;
    virtual void wake() noexcept = 0;

   private:
    friend class EventCounter;
    Waiter* next_ = nullptr;
  };

  void attach(Waiter& waiter) noexcept {
    waiter.next_ = waiters_;
    waiters_ = &waiter;
  }

  void signal() noexcept {
    Held guard{lock_};
    count_.store(count_.load(smp::relaxed) + 1, Orders::raise);
    for (Waiter* waiter = waiters_; waiter != nullptr; waiter = waiter->next_) waiter->wake();
  }

  // Signals since the last take().
  std::uint64_t take() noexcept {
    Held guard{lock_};
    const std::uint64_t count = count_.load(Orders::sense);
    count_.store(0, smp::relaxed);
    return count;
  }

  // Until there was a signal since the last take().
  void wait() noexcept {
    Smp::spin_until(
        count_, [](std::uint64_t count) { return count != 0; }, Orders::sense);
  }
  bool pending() const noexcept { return count_.load(Orders::sense) != 0; }

 private:
  TestAndSetLock<Smp> lock_;
  typename Smp::template atomic<std::uint64_t> count_{};
  Waiter* waiters_ = nullptr;
};

template <class Smp, class Orders = NotifierOrders>
class alignas(kCacheLine) WorkList {
 public:
  class Work {
   public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;
    virtual void run() noexcept = 0;

   private:
    friend class WorkList;
    typename Smp::template atomic<bool> queued_{};
    typename Smp::template var<Work*> next_{};
  };

  // False when the work was on the list already.
  bool queue(Work& work) noexcept {
    if (work.queued_.exchange(true, Orders::claim)) return false;
    Work* head = head_.load(smp::relaxed);
    do {
      work.next_.set(head);
    } while (!head_.compare_exchange(head, &work, Orders::push, smp::relaxed));
    return true;
  }

  bool empty() const noexcept { return head_.load(smp::relaxed) == nullptr; }

  // Runs what is on the list, oldest first. Returns how many pieces.
  std::size_t run_all() noexcept {
    Work* newest = head_.exchange(nullptr, Orders::grab);
    Work* oldest = nullptr;
    while (newest != nullptr) {
      Work* const older = newest->next_.get();
      newest->next_.set(oldest);
      oldest = newest;
      newest = older;
    }
    std::size_t count = 0;
    while (oldest != nullptr) {
      Work* const work = oldest;
      oldest = work->next_.get();  // read first: it may be queued again while it runs
      work->queued_.exchange(false, Orders::begin);
      work->run();
      ++count;
    }
    return count;
  }

  // Until there is work.
  void wait() const noexcept {
    Smp::spin_until(
        head_, [](const Work* head) { return head != nullptr; }, smp::relaxed);
  }

 private:
  typename Smp::template atomic<Work*> head_{};
};

}  // namespace qdiscsim
