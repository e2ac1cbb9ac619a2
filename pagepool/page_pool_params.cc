#include "pagepool/page_pool_params.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace qdiscsim {
namespace {

std::string log_line(const PagePoolParams& params, int error) {
  const char* function =
      params.kernel == KernelVersion::k6_1 ? "page_pool_create" : "page_pool_create_percpu";
  return std::string{function} + "() gave up with errno " + std::to_string(-error);
}

std::uint32_t known_flags(KernelVersion kernel) {
  using namespace page_pool_flag;
  return kernel == KernelVersion::k6_1 ? kDmaMap | kDmaSyncDev | kPageFrag
                                       : kDmaMap | kDmaSyncDev | kSystemPool | kAllowUnreadable;
}

}  // namespace

PagePoolError::PagePoolError(const PagePoolParams& params, int error_number, const char* reason)
    : std::invalid_argument{log_line(params, error_number) + ": " + reason}, error_{error_number} {}

std::size_t pool_ring_size(const PagePoolParams& params) {
  const auto refuse_if = [&](bool wrong, int error, const char* reason) {
    if (wrong) throw PagePoolError{params, error, reason};
  };
  const bool map = (params.flags & page_pool_flag::kDmaMap) != 0;
  const bool sync = (params.flags & page_pool_flag::kDmaSyncDev) != 0;
  refuse_if((params.flags & ~known_flags(params.kernel)) != 0, EINVAL,
            "flags has a bit that this kernel does not know");
  refuse_if(params.size_rule == PoolSizeRule::kRefuse && params.pool_size > kMaxPoolSize, E2BIG,
            "pool_size is above 32768");
  refuse_if(map && params.dma_dir != DmaDirection::kFromDevice &&
                params.dma_dir != DmaDirection::kBidirectional,
            EINVAL, "dma_dir must be from the device or both ways with DMA_MAP");
  refuse_if(sync && !map, EINVAL, "DMA_SYNC_DEV needs DMA_MAP");
  refuse_if(sync && params.max_len == 0, EINVAL, "DMA_SYNC_DEV needs max_len");
  refuse_if(params.kernel > KernelVersion::k6_1 && params.order > kMaxPageOrder, EINVAL,
            "order is above 10");
  if (params.pool_size == 0) return kDefaultPoolRing;
  return params.size_rule == PoolSizeRule::kCap ? std::min(params.pool_size, kMaxPoolRing)
                                                : params.pool_size;
}

}  // namespace qdiscsim
