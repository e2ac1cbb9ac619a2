// Workload `simple`: one thread puts a burst into the ring and takes it out again. What the ring
// costs when nobody contends for it; the instruction counts of variants are compared here.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "bench/ring/workload_flow.h"

namespace qdiscsim::ring_bench {

template <RingAdapter Ring, class Arrivals, class Burst>
Outcome run_rounds(const Params& params, Burst burst, Burst pop) {
  constexpr std::uint64_t kRoundsPerLook = 4096;
  Ring ring{params.size, 1};
  Arrivals arrivals{1};
  RunControl control{params};
  Outcome outcome;
  bool wrong = false;
  std::uint64_t next = first_item(0);
  const auto measure = [&](unsigned) noexcept {
    std::array<void*, kMaxBurst> items;
    const std::uint64_t end = next + params.count;
    for (std::uint64_t round = 1; next != end; ++round) {
      const std::size_t wanted = std::min<std::uint64_t>(burst(), end - next);
      fill(items.data(), next, wanted);
      const std::size_t stored = ring.push(0, items.data(), wanted);
      if (stored == 0) [[unlikely]]
        return;
      next += stored;
      for (std::size_t left = stored; left != 0;) {
        const std::size_t got = ring.pop(0, items.data(), std::min(pop(), left));
        if (got == 0) [[unlikely]]
          return;
        if (!arrivals.take(items.data(), got)) [[unlikely]] {
          wrong = true;
          return;
        }
        left -= got;
        outcome.items += got;
      }
      if (round % kRoundsPerLook == 0 && control.expired()) return;
    }
  };
  outcome.error = run_together(params, 1, control, measure);
  if (!outcome.error.empty()) return outcome;
  outcome.seconds = static_cast<double>(RunControl::Clock::now() - control.started()) / 1e9;

  const std::uint64_t sent = next - first_item(0);
  const std::string so_far = std::to_string(outcome.items) + " of " + std::to_string(sent);
  if (wrong) {
    outcome.error = arrivals.error();
  } else if (outcome.items != sent) {
    outcome.error = "lost: expected " + item_text(first_item(0) + outcome.items) +
                    ", found an empty ring; " + so_far + " items arrived";
  } else if (control.was_late()) {
    outcome.error = control.time_limit_text() + ": " + std::to_string(params.count - sent) +
                    " of " + std::to_string(params.count) +
                    " items missing; producer 0: " + so_far + " sent arrived";
  } else if (sent != params.count) {
    outcome.error = "expected room in an empty ring of " + std::to_string(params.size) +
                    ", found none; " + so_far + " items arrived";
  } else {
    outcome.error = arrivals.final_error();
    if (outcome.error.empty()) outcome.error = surplus_text(ring);
  }
  return outcome;
}

// With burst 1 both sides move single entries, as the kernel's selftest does.
template <RingAdapter Ring>
Outcome run_simple(const Params& params) {
  using Arrivals = std::conditional_t<Ring::kOrdered, OrderedStream, UnorderedArrivals>;
  if (params.burst == 1) {
    return run_rounds<Ring, Arrivals>(params, FixedBurst<1>{}, FixedBurst<1>{});
  }
  return run_rounds<Ring, Arrivals>(params, RunBurst{params.burst}, RunBurst{params.pop});
}

}  // namespace qdiscsim::ring_bench
