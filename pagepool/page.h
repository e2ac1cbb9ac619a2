// Page: the descriptor of one page of the arena, as struct page is to a physical page.
//
// Two reference counts, as in the kernel:
//   refcount  the page's own. 1 while its pool (or the fragments handed out by it) holds it; anyone
//             else who wants to keep the page takes one more, which makes it unfit for recycling.
//             0 while it is with the allocator.
//   pp_ref    references under the page_pool: how many holders will still call PagePool::put().
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"
#include "base/smp.h"

namespace qdiscsim {

// Bytes in a page of the arena, whatever the machine's own page size is.
inline constexpr std::size_t kPageBytes = 4096;

template <class Smp>
struct alignas(kCacheLine) Page {
  std::byte* data = nullptr;  // kPageBytes of real memory; fixed for the page's life
  void* pool = nullptr;       // the PagePool that owns it; null while with the allocator
  std::uint32_t index = 0;    // position in the arena: colours and neighbours derive from it
  std::int32_t node = -1;     // NUMA node recorded when the arena was made, -1 unknown
  bool pfmemalloc = false;    // from emergency reserves: never recycled
  std::uint8_t order = 0;     // head of 2^order pages handed out as one; set by the allocator
  typename Smp::template atomic<std::uint32_t> refcount{0};  // the page's own references
  typename Smp::template atomic<std::int64_t> pp_ref{0};     // references under the page_pool
  Page* next_kept = nullptr;  // for a holder with a list of what it keeps; see pktgen/page_keeper.h
};

// Orders on both reference counts.
struct PageOrders {
  // A holder is done with the page before its reference goes. Partners: last, and drop itself when
  // two holders leave at the same time.
  static constexpr smp::order drop = smp::acq_rel;
  // Who finds itself the only holder may reuse the page. Partner: drop.
  static constexpr smp::order last = smp::acquire;
  // The taker holds a reference already, so the page cannot go away meanwhile.
  static constexpr smp::order take = smp::relaxed;
  // Set by the only holder; whoever gets the page from it gets this value too.
  static constexpr smp::order set = smp::relaxed;
};

// Drops one reference. True for the last one: its caller is now alone with the page. The last
// reference is not subtracted but stays at 1, ready for the page's next life, so the common case of
// a single holder is one load and no locked instruction.
template <class Orders, class Cell>
bool drop_reference(Cell& count) noexcept {
  if (count.load(Orders::last) == 1) [[likely]]
    return true;
  if (count.fetch_sub(1, Orders::drop) != 1) return false;
  count.store(1, Orders::set);
  return true;
}

// Drops `nr` references of one's own at once; true and 1 left behind as above.
template <class Orders, class Cell>
bool drop_references(Cell& count, std::int64_t nr) noexcept {
  if (count.load(Orders::last) != nr && count.fetch_sub(nr, Orders::drop) != nr) return false;
  count.store(1, Orders::set);
  return true;
}

}  // namespace qdiscsim
