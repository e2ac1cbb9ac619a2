// The Smp policy: the only door through which concurrent code reaches shared memory.
//
// Every concurrent template in this project takes a policy `Smp` with the members below. One source
// then runs on three machines: real threads (smp::Native here), and later a weak-memory checker and
// a simulated many-core machine, which bring their own policy.
//
//   Smp::atomic<T>     load(order), store(value, order), exchange, fetch_add, fetch_sub, fetch_or,
//                      fetch_and, compare_exchange(expected, desired, success, failure)
//   Smp::var<T>        plain shared data: get(), set(v). Protected by something else; the checker
//                      looks for races on it
//   Smp::fence(order)  a fence. Prefer an order on an access: ThreadSanitizer does not see fences
//   Smp::Spinner       one wait loop's memory. pause() waits for time or work: it relaxes the core,
//                      and after kPausesPerYield pauses gives it to the operating system.
//                      stand_aside() waits for another thread's progress: it also yields, and after
//                      kYieldsBeforeSleep yields it sleeps
//   Smp::spin_until(atomic, predicate, order)
//                      the value that satisfied the predicate; stands aside meanwhile
//   Smp::yield()       gives the core away now
//   Smp::sleep(ns)     gives it away for so long; for a thread that nothing waits for
//   Smp::work(cycles), Smp::touch(address, bytes, Access)
//                      cost hints, free on real threads
//   Smp::prefetch(address, Access)
//                      fetches a line in advance; never changes what is read
//   Smp::now()         nanoseconds, see base/clock.h
//
// Rules. Each memory order is a named constant in an `Orders` struct beside the class that uses it,
// with its partner named in a comment, so that a test can weaken one and expect to be caught. No
// loop waits for another thread except through spin_until or Spinner::pause. Two halves of one word
// that threads share are always written together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace qdiscsim::smp {

using order = std::memory_order;

inline constexpr order relaxed = std::memory_order_relaxed;
inline constexpr order acquire = std::memory_order_acquire;
inline constexpr order release = std::memory_order_release;
inline constexpr order acq_rel = std::memory_order_acq_rel;
inline constexpr order seq_cst = std::memory_order_seq_cst;

enum class Access : std::uint8_t { kRead, kWrite };

// Bound on busy waiting: with more threads than cores the one waited for may not be running.
inline constexpr unsigned kPausesPerYield = 64;

// A yield does not help when the one waited for has used up its share: the scheduler then prefers
// those who yield. Sleeping leaves it the core.
inline constexpr unsigned kYieldsBeforeSleep = 4;
inline constexpr std::uint64_t kNap = 10'000;  // nanoseconds; timer slack makes it some 60'000

}  // namespace qdiscsim::smp
