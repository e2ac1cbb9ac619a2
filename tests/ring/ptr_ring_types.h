// What typed tests of PtrRing run over: its generations, and the locks of its sides.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "base/smp_native.h"
#include "ring/clear_policy.h"
#include "ring/mcs_lock.h"
#include "ring/ptr_ring.h"
#include "ring/spin_lock.h"

namespace qdiscsim::test {

// Flush on empty with an older and with the newest order.
using Generations = testing::Types<ZeroEach, ZeroBatch, ClearAfterHead, ClearAfterHeadBarriers,
                                   FlushOnEmpty<ZeroBatch>, FlushOnEmpty<ClearAfterHeadBarriers>>;

using RealLocks = testing::Types<TestAndSetLock<smp::Native>, YieldingLock<smp::Native>,
                                 TicketLock<smp::Native>, McsLock<smp::Native>>;

// On a loaded machine a lock that is first come, first served waits for the scheduler at almost
// every handover.
template <class Lock>
inline constexpr bool kFirstComeFirstServed =
    std::is_same_v<Lock, TicketLock<smp::Native>> || std::is_same_v<Lock, McsLock<smp::Native>>;

// One acquisition by hand: Held for tests that try, or that unlock before the end of a scope.
template <class Lock>
class Holder {
 public:
  explicit Holder(Lock& lock) : lock_{lock} {}
  void lock() { lock_.lock(); }
  bool try_lock() { return lock_.try_lock(); }
  void unlock() { lock_.unlock(); }

 private:
  Lock& lock_;
};

template <LockWithNode Lock>
class Holder<Lock> {
 public:
  explicit Holder(Lock& lock) : lock_{lock} {}
  void lock() { lock_.lock(node_); }
  bool try_lock() { return lock_.try_lock(node_); }
  void unlock() { lock_.unlock(node_); }

 private:
  Lock& lock_;
  typename Lock::Node node_;
};

template <class Clear>
std::string generation_name() {
  return std::string{Clear::kName} + (Clear::kFlushOnEmpty ? "_flush_on_empty" : "");
}

// Name generators of TYPED_TEST_SUITE.
struct NameOfGeneration {
  template <class Clear>
  static std::string GetName(int /*index*/) {
    return generation_name<Clear>();
  }
};
struct NameOfLock {
  template <class Lock>
  static std::string GetName(int /*index*/) {
    return Lock::kName;
  }
};

}  // namespace qdiscsim::test
