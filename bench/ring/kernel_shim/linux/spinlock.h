// The kernel's spinlock as a comparison of rings needs it: the very lock of the variant `locked`,
// so that what differs is the ring. There are no interrupts here; each form is the plain one.
#pragma once

#include "base/smp_native.h"
#include "ring/spin_lock.h"

using spinlock_t = qdiscsim::TestAndSetLock<qdiscsim::smp::Native>;

inline void spin_lock_init(spinlock_t* /*lock*/) noexcept {}  // its constructor has done it
inline void spin_lock(spinlock_t* lock) noexcept {
  lock->lock();
}
inline void spin_unlock(spinlock_t* lock) noexcept {
  lock->unlock();
}

inline void spin_lock_irq(spinlock_t* lock) noexcept {
  lock->lock();
}
inline void spin_unlock_irq(spinlock_t* lock) noexcept {
  lock->unlock();
}
inline void spin_lock_bh(spinlock_t* lock) noexcept {
  lock->lock();
}
inline void spin_unlock_bh(spinlock_t* lock) noexcept {
  lock->unlock();
}
inline void spin_lock_irqsave(spinlock_t* lock, unsigned long& flags) noexcept {
  flags = 0;
  lock->lock();
}
inline void spin_unlock_irqrestore(spinlock_t* lock, unsigned long /*flags*/) noexcept {
  lock->unlock();
}

inline void cpu_relax() noexcept {
  qdiscsim::smp::Native::Spinner{}.pause();
}
