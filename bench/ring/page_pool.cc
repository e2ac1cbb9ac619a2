// Mode `page_pool`: the three cases of the kernel's bench_page_pool_simple on PagePool, one thread.
//
//   page_pool01_fast_path   each page comes from the cache and goes straight back to it
//   page_pool02_ptr_ring    each page comes and goes through the pool's ring
//   page_pool02_cas, _lanes the same with another ring in the pool
//   page_pool03_slow        somebody else holds the page, so it goes back to the allocator
//
// As in the kernel a pool of 1024, with 64 pages in its ring before the start; -N is the number of
// pages, the other options do not concern it. The page_pool statistics of the loop are compared
// with what the algorithm must count.
#include "pagepool/page_pool.h"

#include <algorithm>
#include <array>

#include "base/smp_native.h"
#include "bench/ring/workloads.h"
#include "pagepool/page_arena.h"
#include "ring/lane_ring.h"
#include "ring/mpsc_ring.h"
#include "ring/ptr_ring.h"

namespace qdiscsim::ring_bench {
namespace {

using Smp = smp::Native;

enum class Path : std::uint8_t { kFast, kRing, kSlow };
constexpr std::uint64_t kPrefill = 64;
constexpr std::uint64_t kPagesPerLook = 65'536;

// Statistics of the loop alone, from those after the prefill on.
PagePoolStats since(PagePoolStats now, const PagePoolStats& before) {
  now.alloc_fast -= before.alloc_fast;
  now.alloc_slow -= before.alloc_slow;
  now.alloc_empty -= before.alloc_empty;
  now.recycle_ring -= before.recycle_ring;
  return now;
}

// What `pages` turns must count.
template <Path kPath>
PagePoolStats expected(std::uint64_t pages) {
  PagePoolStats stats;
  constexpr std::uint64_t kRefill = PagePool<Smp>::kRefill;
  const auto refills = [](std::uint64_t count) { return (count + kRefill - 1) / kRefill; };
  switch (kPath) {
    case Path::kFast:
      stats.alloc_refill = 1;
      stats.recycle_cached = pages;
      break;
    case Path::kRing:
      stats.alloc_refill = refills(pages);
      stats.recycle_ring = pages;
      break;
    case Path::kSlow:
      stats.alloc_refill = 1;
      stats.alloc_slow = pages > kPrefill ? refills(pages - kPrefill) : 0;
      stats.alloc_empty = stats.alloc_slow;
      stats.recycle_released_refcnt = pages;
      break;
  }
  stats.alloc_fast = pages - stats.alloc_refill - stats.alloc_slow;
  return stats;
}

template <Path kPath, class Pool>
void turn(Pool& pool, typename Pool::Allocator& allocator, std::uint64_t pages) noexcept {
  for (std::uint64_t i = 0; i < pages; ++i) {
    Page<Smp>* page = pool.alloc();
    if constexpr (kPath == Path::kSlow) Pool::Allocator::get(page);
    pool.put(page, 0, kPath == Path::kFast);
    if constexpr (kPath == Path::kSlow) allocator.put(page);
  }
}

template <Path kPath, class Ring = PtrRing<Smp>>
Outcome run_page_pool(const Params& params) {
  using Pool = PagePool<Smp, Ring>;
  PageArena<Smp> arena{2048, HugePages::kTry};
  typename Pool::Allocator allocator{arena};
  PagePoolParams pool_params;
  pool_params.pool_size = 1024;
  Pool pool{allocator, pool_params};
  std::array<Page<Smp>*, kPrefill> prefill{};
  for (auto& page : prefill) page = pool.alloc();
  for (auto* page : prefill) pool.put(page, 0);
  const PagePoolStats before = pool.stats();

  RunControl control{params};
  Outcome outcome;
  outcome.error = run_together(params, 1, control, [&](unsigned) noexcept {
    while (outcome.items < params.count && !control.expired()) {
      const std::uint64_t pages = std::min(kPagesPerLook, params.count - outcome.items);
      turn<kPath>(pool, allocator, pages);
      outcome.items += pages;
    }
    outcome.seconds = static_cast<double>(RunControl::Clock::now() - control.started()) / 1e9;
  });
  if (!outcome.error.empty()) return outcome;
  if (outcome.items < params.count) {
    outcome.error = control.time_limit_text() + ": " +
                    std::to_string(params.count - outcome.items) + " of " +
                    std::to_string(params.count) + " pages missing";
  } else if (since(pool.stats(), before) != expected<kPath>(params.count)) {
    outcome.error = "the statistics of the page_pool are not what this path must count";
  }
  if (!outcome.error.empty()) return outcome;
  const double ns = outcome.seconds * 1e9 / static_cast<double>(outcome.items);
  outcome.figures.emplace_back("ns/page", ns);
  // 0 where the time stamp counter is not in use.
  outcome.figures.emplace_back("cycles(tsc)/page", ns * TscClock::frequency_hz() / 1e9);
  return outcome;
}

}  // namespace

void add_page_pool(Registry& registry) {
  add_variant(registry, "page_pool", "page_pool01_fast_path", "from the cache and back to it",
              &run_page_pool<Path::kFast>);
  add_variant(registry, "page_pool", "page_pool02_ptr_ring", "through the pool's ptr_ring",
              &run_page_pool<Path::kRing>);
  add_variant(registry, "page_pool", "page_pool02_cas", "through a mpsc ring",
              &run_page_pool<Path::kRing, MpscRing<Smp>>);
  add_variant(registry, "page_pool", "page_pool02_lanes", "through a ring of lanes",
              &run_page_pool<Path::kRing, LaneRing<Smp>>);
  add_variant(registry, "page_pool", "page_pool03_slow", "back to the allocator each time",
              &run_page_pool<Path::kSlow>);
}

}  // namespace qdiscsim::ring_bench
