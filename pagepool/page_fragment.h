// Pieces of a page, and where a pool cuts the next one from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "pagepool/page.h"
#include "pagepool/page_pool_params.h"

namespace qdiscsim {

// A piece of a page: the holder puts `page`, whatever the offset. Null page: none was to be had.
template <class Smp>
struct PageFragment {
  Page<Smp>* page = nullptr;
  std::size_t offset = 0;  // bytes
  std::size_t size = 0;    // bytes that are the holder's, at least what was asked for
};

// State of PagePool::alloc_fragment; the pool's owner only.
template <class Smp>
struct FragmentSource {
  explicit FragmentSource(const PagePoolParams& params) noexcept
      : allowed{params.kernel > KernelVersion::k6_1 ||
                (params.flags & page_pool_flag::kPageFrag) != 0},
        each_counts_fast{params.kernel == KernelVersion::k6_1},
        bias{each_counts_fast ? std::numeric_limits<std::int64_t>::max()
                              : std::numeric_limits<std::int64_t>::max() / 2},
        // 6.1 also keeps the skb_shared_info behind a packet aligned: 8 bytes.
        alignment{std::max<std::size_t>(params.dma_alignment, each_counts_fast ? 8 : 1)} {}

  const bool allowed;
  const bool each_counts_fast;  // statistics up to 6.12: each piece, and each drained page
  const std::int64_t bias;      // references that a page gets when it is cut up
  const std::size_t alignment;  // bytes, a power of two
  Page<Smp>* page = nullptr;
  std::size_t offset = 0;  // bytes of the page that are given away
  std::int64_t users = 0;  // pieces given away
};

}  // namespace qdiscsim
