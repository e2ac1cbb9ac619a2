// Page: the descriptor of one page of the arena, as struct page is to a physical page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"
#include "base/smp.h"

namespace qdiscsim {

inline constexpr std::size_t kPageBytes = 4096;

template <class Smp>
struct alignas(kCacheLine) Page {
  std::byte* data = nullptr;  // kPageBytes of real memory; fixed for the page's life
  void* pool = nullptr;       // the PagePool that owns it; null while with the allocator
  std::uint32_t index = 0;    // position in the arena: colours and neighbours derive from it
  std::int32_t node = -1;     // NUMA node recorded when the arena was made, -1 unknown
  bool pfmemalloc = false;    // from emergency reserves: never recycled
  typename Smp::template atomic<std::uint32_t> refcount{0};  // the page's own references
  typename Smp::template atomic<std::int64_t> pp_ref{0};     // references under the page_pool
};

}  // namespace qdiscsim
