// What a page_pool is made with, and what is refused.
//
// Source: linux net/core/page_pool.c, page_pool_init(), include/net/page_pool/types.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "base/cpu_id.h"
#include "base/kernel_version.h"
#include "ring/ring_choice.h"

namespace qdiscsim {

// The owner of a pool that nobody may recycle to directly.
inline constexpr CpuId kNoCpu = std::numeric_limits<CpuId>::max();

// Bits of PagePoolParams::flags. Their rules are checked; DMA itself is not modelled, so that they
// change nothing else but for kPageFrag.
namespace page_pool_flag {
inline constexpr std::uint32_t kDmaMap = 1U << 0U;
inline constexpr std::uint32_t kDmaSyncDev = 1U << 1U;
inline constexpr std::uint32_t kPageFrag = 1U << 2U;         // 6.1: without it no fragments
inline constexpr std::uint32_t kSystemPool = 1U << 2U;       // newer: the same bit
inline constexpr std::uint32_t kAllowUnreadable = 1U << 3U;  // newer
}  // namespace page_pool_flag

// enum dma_data_direction.
enum class DmaDirection : std::uint8_t { kBidirectional, kToDevice, kFromDevice, kNone };

// What happens to a pool_size above 32768.
enum class PoolSizeRule : std::uint8_t {
  kCap,     // since October 2025, in the stable series too: a ring of 16384 at most
  kRefuse,  // before: -E2BIG, and a ring of whatever is allowed
};

struct PagePoolParams {
  std::uint32_t pool_size = 0;   // ring entries: 0 means 1024; large ones see size_rule
  CpuId owner_cpu = kNoCpu;      // puts from this CPU go to the cache (newer than 6.1)
  CpuId cpus = 1;                // puts come from CPUs 0 .. cpus - 1; at least 1
  std::int32_t node = -1;        // wanted NUMA node; -1: local_node
  std::int32_t local_node = -1;  // of the owner's CPU; -1: pages of any node will do
  RingChoice ring{};             // when the Ring of the pool leaves it open
  std::uint32_t order = 0;       // a page is kPageBytes << order
  std::uint32_t flags = 0;       // page_pool_flag
  DmaDirection dma_dir = DmaDirection::kBidirectional;
  std::uint32_t max_len = 0;        // bytes that a sync covers; needed with kDmaSyncDev
  std::uint32_t dma_alignment = 1;  // fragments begin at multiples of it; a power of two
  bool preempt_rt = false;          // only who asks for it recycles directly
  KernelVersion kernel = KernelVersion::k6_18;
  PoolSizeRule size_rule = PoolSizeRule::kCap;
};

inline constexpr std::uint32_t kDefaultPoolRing = 1024;
inline constexpr std::uint32_t kMaxPoolRing = 16'384;
inline constexpr std::uint32_t kMaxPoolSize = 32'768;
inline constexpr std::uint32_t kMaxPageOrder = 10;

// what() is the kernel's log line, a colon, and the reason.
class PagePoolError : public std::invalid_argument {
 public:
  PagePoolError(const PagePoolParams& params, int error_number, const char* reason);
  int error() const noexcept { return error_; }  // EINVAL or E2BIG

 private:
  int error_;
};

// Entries of the ring that these parameters lead to. Throws PagePoolError for what is refused.
std::size_t pool_ring_size(const PagePoolParams& params);

}  // namespace qdiscsim
