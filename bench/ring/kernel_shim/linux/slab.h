// Memory: arrays from the C library. C converts what an allocation returns to any pointer by
// itself; Allocated does so in C++, so that the header compiles as it is.
#pragma once

#include <linux/types.h>

#include <cstddef>
#include <cstdlib>

namespace qdiscsim::kernel_shim {

struct Allocated {
  void* memory;
  template <class T>
  operator T*() const noexcept {  // implicit, as in C
    return static_cast<T*>(memory);
  }
};

}  // namespace qdiscsim::kernel_shim

// Bytes; what one allocation may have with pages of 4 KiB: a ring holds 524288 entries at most.
inline constexpr std::size_t KMALLOC_MAX_SIZE = std::size_t{4} << 20U;

inline constexpr gfp_t GFP_KERNEL = 0;
inline constexpr gfp_t __GFP_ZERO = 1;  // is always done

inline qdiscsim::kernel_shim::Allocated kmalloc_array(std::size_t count, std::size_t bytes,
                                                      gfp_t /*flags*/) noexcept {
  return {std::calloc(count, bytes)};
}
inline qdiscsim::kernel_shim::Allocated kvmalloc_array(std::size_t count, std::size_t bytes,
                                                       gfp_t flags) noexcept {
  return kmalloc_array(count, bytes, flags);
}
inline void kfree(const void* memory) noexcept {
  std::free(const_cast<void*>(memory));
}
inline void kvfree(const void* memory) noexcept {
  kfree(memory);
}
