// The eleven page_pool statistics, under the names and in the order that `ethtool -S` shows them.
// Source of the rules: the kernel's page_pool, net/core/page_pool.c.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qdiscsim {

// Every page handed out counts exactly one of fast, slow, slow_high_order and refill; empty and
// waive come on top.
struct PagePoolStats {
  std::uint64_t alloc_fast = 0;             // from the owner's cache
  std::uint64_t alloc_slow = 0;             // from the page allocator
  std::uint64_t alloc_slow_high_order = 0;  // the same, of a pool whose order is above 0
  std::uint64_t alloc_empty = 0;            // the ring had nothing either
  std::uint64_t alloc_refill = 0;           // from the cache, just filled from the ring
  std::uint64_t alloc_waive = 0;            // pages of the wrong NUMA node met in the ring
  std::uint64_t recycle_cached = 0;
  std::uint64_t recycle_cache_full = 0;  // wanted the cache, went on to the ring
  std::uint64_t recycle_ring = 0;
  std::uint64_t recycle_ring_full = 0;        // went to the page allocator; in bulk once a round
  std::uint64_t recycle_released_refcnt = 0;  // somebody else held the page, or it was pfmemalloc

  // In the order of kPagePoolStatNames.
  std::array<std::uint64_t, 11> values() const noexcept {
    return {alloc_fast,   alloc_slow,        alloc_slow_high_order,  alloc_empty,
            alloc_refill, alloc_waive,       recycle_cached,         recycle_cache_full,
            recycle_ring, recycle_ring_full, recycle_released_refcnt};
  }

  bool operator==(const PagePoolStats&) const = default;
};

inline constexpr std::array<std::string_view, 11> kPagePoolStatNames{
    "rx_pp_alloc_fast",        "rx_pp_alloc_slow",          "rx_pp_alloc_slow_ho",
    "rx_pp_alloc_empty",       "rx_pp_alloc_refill",        "rx_pp_alloc_waive",
    "rx_pp_recycle_cached",    "rx_pp_recycle_cache_full",  "rx_pp_recycle_ring",
    "rx_pp_recycle_ring_full", "rx_pp_recycle_released_ref"};

}  // namespace qdiscsim
