// Single accesses that the compiler may not split, repeat or drop, hints for branches, and the
// barrier between two stores. As in the kernel on x86-64, none of it costs an instruction there.
// The barrier is a release fence: stronger than a barrier for stores alone where that is cheaper.
#pragma once

#include <atomic>
#include <type_traits>

namespace qdiscsim::kernel_shim {

template <class T>
inline T read_once(const T& from) noexcept {
  return *const_cast<const volatile T*>(&from);
}

template <class T>
inline void write_once(T& to, std::type_identity_t<T> value) noexcept {
  *const_cast<volatile T*>(&to) = value;
}

}  // namespace qdiscsim::kernel_shim

#define READ_ONCE(from) qdiscsim::kernel_shim::read_once(from)
#define WRITE_ONCE(to, value) qdiscsim::kernel_shim::write_once(to, value)
#define smp_wmb() std::atomic_thread_fence(std::memory_order_release)
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
