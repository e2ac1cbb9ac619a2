// page_pool_bench: the three cases of the kernel's bench_page_pool_simple on PagePool, one thread.
//
//   no-softirq-page_pool01   fast: each page comes from the cache and goes back to it
//   no-softirq-page_pool02   ring: each page comes through the ring
//   no-softirq-page_pool03   slow: somebody else holds the page, so it goes to the allocator
//
// A pool of 1024, filled before with 64 pages in the ring. Prints the kernel's time_bench line for
// each case, so that the figures can be laid beside published ones; cycles are those of the time
// stamp counter, whose rate need not be the core's. Checks the page_pool statistics of each case
// against what the algorithm must count; exit code 70 when they differ.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/smp_native.h"
#include "config/exit_codes.h"
#include "pagepool/page_arena.h"
#include "pagepool/page_pool.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using Pool = PagePool<Smp>;

enum class Case : std::uint8_t { kFast, kRing, kSlow };
constexpr std::array<Case, 3> kCases{Case::kFast, Case::kRing, Case::kSlow};
constexpr std::uint64_t kPrefill = 64;

struct Measured {
  Nanoseconds elapsed = 0;
  PagePoolStats stats;  // of the loop, prefill left out
};

template <Case kCase>
Measured measure(std::uint64_t loops) {
  PageArena<Smp> arena{2048, HugePages::kTry};
  Pool::Allocator allocator{arena};
  Pool pool{allocator, {.pool_size = 1024, .owner_cpu = kNoCpu, .cpus = 1, .node = -1}};
  std::array<Page<Smp>*, kPrefill> pages{};
  for (auto& page : pages) page = pool.alloc();
  for (auto* page : pages) pool.put(page, 0);
  const PagePoolStats before = pool.stats();

  const Nanoseconds started = monotonic_ns();
  for (std::uint64_t i = 0; i < loops; ++i) {
    Page<Smp>* page = pool.alloc();
    if constexpr (kCase == Case::kSlow) Pool::Allocator::get(page);
    pool.put(page, 0, kCase == Case::kFast);
    if constexpr (kCase == Case::kSlow) allocator.put(page);
  }
  Measured result{monotonic_ns() - started, pool.stats()};
  result.stats.alloc_fast -= before.alloc_fast;
  result.stats.alloc_slow -= before.alloc_slow;
  result.stats.alloc_empty -= before.alloc_empty;
  result.stats.recycle_ring -= before.recycle_ring;
  return result;
}

// What `loops` turns must count.
PagePoolStats expected(Case which, std::uint64_t loops) {
  PagePoolStats stats;
  const auto refills = [](std::uint64_t pages) {
    return (pages + Pool::kRefill - 1) / Pool::kRefill;
  };
  switch (which) {
    case Case::kFast:
      stats.alloc_refill = 1;
      stats.recycle_cached = loops;
      break;
    case Case::kRing:
      stats.alloc_refill = refills(loops);
      stats.recycle_ring = loops;
      break;
    case Case::kSlow:
      stats.alloc_refill = 1;
      stats.alloc_slow = loops > kPrefill ? refills(loops - kPrefill) : 0;
      stats.alloc_empty = stats.alloc_slow;
      stats.recycle_released_refcnt = loops;
      break;
  }
  stats.alloc_fast = loops - stats.alloc_refill - stats.alloc_slow;
  return stats;
}

void print_time_bench(const char* type, std::uint64_t loops, Nanoseconds elapsed) {
  const double hz = TscClock::frequency_hz();  // 0: no counter in use, then cycles read 0
  const double ns = static_cast<double>(elapsed);
  const auto cycles = static_cast<std::uint64_t>(ns * hz / 1e9);
  std::printf(
      "time_bench: Type:%s Per elem: %llu cycles(tsc) %.3f ns (step:0) - (measurement period "
      "time:%.9f sec time_interval:%llu) - (invoke count:%llu tsc_interval:%llu)\n",
      type, static_cast<unsigned long long>(cycles / loops), ns / static_cast<double>(loops),
      ns / 1e9, static_cast<unsigned long long>(elapsed), static_cast<unsigned long long>(loops),
      static_cast<unsigned long long>(cycles));
}

int run(std::uint64_t loops, bool json) {
  constexpr std::array<const char*, 3> kTypes{"no-softirq-page_pool01", "no-softirq-page_pool02",
                                              "no-softirq-page_pool03"};
  int exit_code = config::kExitOk;
  nlohmann::ordered_json out;
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    const Measured measured = kCases[i] == Case::kFast   ? measure<Case::kFast>(loops)
                              : kCases[i] == Case::kRing ? measure<Case::kRing>(loops)
                                                         : measure<Case::kSlow>(loops);
    if (json) {
      out[kTypes[i]] = static_cast<double>(measured.elapsed) / static_cast<double>(loops);
    } else {
      print_time_bench(kTypes[i], loops, measured.elapsed);
    }
    if (measured.stats != expected(kCases[i], loops)) {
      std::fprintf(stderr, "page_pool_bench: %s counted other than it must\n", kTypes[i]);
      exit_code = config::kExitSoftware;
    }
  }
  if (json) std::printf("%s\n", out.dump().c_str());
  return exit_code;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  std::uint64_t loops = 10'000'000;
  bool json = false;
  CLI::App app{"The three cases of the kernel's bench_page_pool_simple."};
  app.add_option("--loops", loops, "turns of each case")
      ->check(CLI::Range(1ULL, 1'000'000'000'000ULL))
      ->capture_default_str();
  app.add_flag("--json", json, "nanoseconds per turn as one JSON object");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? qdiscsim::config::kExitOk : qdiscsim::config::kExitUsage;
  }
  try {
    qdiscsim::TscClock::calibrate();
    return qdiscsim::run(loops, json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "page_pool_bench: %s\n", error.what());
    return qdiscsim::config::kExitOs;
  }
}
