// McsLock: a queue of waiters, each of which watches a word of its own, so that an unlock disturbs
// one core and not all of them. First come, first served: like TicketLock it suffers when the next
// in line is preempted.
//
// A Node is one acquisition's place in the queue, in memory of the one who acquires: construct it
// fresh (Held does), hand the same one to unlock(), and keep it where it is until unlock() returns.
// A try_lock() that failed has not used its node.
//
// Source of the behaviour: J. Mellor-Crummey, M. Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", ACM TOCS 9(1), 1991.
#pragma once

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/spin_lock.h"

namespace qdiscsim {

struct McsLockOrders {
  // Joining takes over from whoever left an empty queue (acquire; partner: leave) and from the one
  // ahead its node, as it was constructed, to write to (acquire; partner: the release in the join
  // of the one ahead).
  static constexpr smp::order join = smp::acq_rel;
  // The new node, as it was constructed, for the one ahead to write to.
  static constexpr smp::order link = smp::release;    // partner: follow
  static constexpr smp::order follow = smp::acquire;  // partner: link
  static constexpr smp::order pass = smp::release;    // partner: enter
  static constexpr smp::order enter = smp::acquire;   // partner: pass
  static constexpr smp::order leave = smp::release;   // partner: join
  // A failed exchange reads nothing that is then relied upon.
  static constexpr smp::order watch = smp::relaxed;
};

template <class Smp, class Orders = McsLockOrders>
class McsLock {
 public:
  static constexpr const char* kName = "mcs";

  class alignas(kCacheLine) Node {
   public:
    Node() noexcept = default;
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

   private:
    friend class McsLock;
    typename Smp::template atomic<Node*> next_{};      // who is behind
    typename Smp::template atomic<bool> waits_{true};  // cleared by the one ahead
  };

  void lock(Node& mine) noexcept {
    Node* const ahead = last_.exchange(&mine, Orders::join);
    if (ahead == nullptr) return;
    ahead->next_.store(&mine, Orders::link);
    Smp::spin_until(
        mine.waits_, [](bool waits) { return !waits; }, Orders::enter);
  }

  bool try_lock(Node& mine) noexcept {
    Node* nobody = nullptr;
    return last_.compare_exchange(nobody, &mine, Orders::join, Orders::watch);
  }

  void unlock(Node& mine) noexcept {
    Node* behind = mine.next_.load(Orders::follow);
    if (behind == nullptr) {
      Node* expected = &mine;
      if (last_.compare_exchange(expected, nullptr, Orders::leave, Orders::watch)) return;
      // Somebody has joined and is about to say where.
      behind = Smp::spin_until(
          mine.next_, [](const Node* node) { return node != nullptr; }, Orders::follow);
    }
    behind->waits_.store(false, Orders::pass);
  }

 private:
  typename Smp::template atomic<Node*> last_{};  // null: free
};

}  // namespace qdiscsim
