// Lock policies for the sides of a ring. Each offers lock(), try_lock() and unlock(), from any
// thread. Take them through Held, which also keeps what a lock needs of each holder (its Node).
//
//   TestAndSetLock  one word, read until free, then exchanged. Unfair; recovers soon when a holder
//                   was preempted, since any runnable waiter may take it.
//   YieldingLock    the same, but a waiter gives its core away at every look instead of pausing:
//                   for more threads than cores, dear when each has its own.
//   TicketLock      first come, first served. A preempted waiter blocks all behind it: expect it to
//                   collapse with more threads than cores.
//   McsLock         first come, first served, each waiter at a line of its own: ring/mcs_lock.h.
//   NoLock          for a side that has only one thread.
//
// All wait through Smp::spin_until, which yields to the OS after a bounded number of pauses.
#pragma once

#include <cstdint>

#include "base/smp.h"

namespace qdiscsim {

struct SpinLockOrders {
  static constexpr smp::order enter = smp::acquire;  // partner: leave
  static constexpr smp::order leave = smp::release;  // partner: enter
  static constexpr smp::order watch = smp::relaxed;  // only decides when to try again
};

template <class Smp, class Orders = SpinLockOrders>
class TestAndSetLock {
 public:
  static constexpr const char* kName = "test_and_set";

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait_and_lock();
  }
  bool try_lock() noexcept { return !held_.exchange(true, Orders::enter); }
  void unlock() noexcept { held_.store(false, Orders::leave); }

 private:
  // Out of line: waiting must not cost those who need not wait their registers.
  [[gnu::noinline]] void wait_and_lock() noexcept {
    do {
      Smp::spin_until(
          held_, [](bool held) { return !held; }, Orders::watch);
    } while (!try_lock());
  }

  typename Smp::template atomic<bool> held_{};
};

template <class Smp, class Orders = SpinLockOrders>
class YieldingLock {
 public:
  static constexpr const char* kName = "yielding";

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait_and_lock();
  }
  bool try_lock() noexcept { return !held_.exchange(true, Orders::enter); }
  void unlock() noexcept { held_.store(false, Orders::leave); }

 private:
  [[gnu::noinline]] void wait_and_lock() noexcept {
    do {
      Smp::spin_until(
          held_,
          [](bool held) {
            if (held) Smp::yield();
            return !held;
          },
          Orders::watch);
    } while (!try_lock());
  }

  typename Smp::template atomic<bool> held_{};
};

template <class Smp, class Orders = SpinLockOrders>
class TicketLock {
 public:
  static constexpr const char* kName = "ticket";

  void lock() noexcept {
    const std::uint32_t mine = next_.fetch_add(1, Orders::watch);
    Smp::spin_until(
        serving_, [mine](std::uint32_t now) { return now == mine; }, Orders::enter);
  }
  bool try_lock() noexcept {
    std::uint32_t mine = serving_.load(Orders::enter);
    return next_.compare_exchange(mine, mine + 1, Orders::watch, Orders::watch);
  }
  void unlock() noexcept {
    // Only the holder writes serving_, so its own last value needs no order.
    serving_.store(serving_.load(smp::relaxed) + 1, Orders::leave);
  }

 private:
  typename Smp::template atomic<std::uint32_t> next_{};
  typename Smp::template atomic<std::uint32_t> serving_{};
};

template <class Smp>
class NoLock {
 public:
  static constexpr const char* kName = "none";
  void lock() noexcept {}
  bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
};

// A lock that keeps something of each holder, in memory of the holder, says so with a type Node and
// takes one with each call.
template <class Lock>
concept LockWithNode = requires {
  typename Lock::Node;
};

// std::lock_guard for these policies, without <mutex>. On the holder's stack; one thread's own.
template <class Lock>
class [[nodiscard]] Held {
 public:
  explicit Held(Lock& lock) noexcept : lock_{lock} { lock_.lock(); }
  ~Held() { lock_.unlock(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Lock& lock_;
};

template <LockWithNode Lock>
class [[nodiscard]] Held<Lock> {
 public:
  explicit Held(Lock& lock) noexcept : lock_{lock} { lock_.lock(node_); }
  ~Held() { lock_.unlock(node_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Lock& lock_;
  typename Lock::Node node_;
};

}  // namespace qdiscsim
