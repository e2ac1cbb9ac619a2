// Workload `simple`: one thread puts a burst into the ring and takes it out again. What the ring
// costs when nobody contends for it; the instruction counts of variants are compared here.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "bench/ring/workload_flow.h"

namespace qdiscsim::ring_bench {

template <class Arrivals>
struct Rounds {
  Arrivals arrivals{1};
  std::uint64_t sent = 0;
  std::uint64_t items = 0;  // that came out again
  Nanoseconds ended = 0;
  bool wrong = false;
};

template <RingAdapter Ring, class Arrivals, class Burst>
[[gnu::flatten, gnu::noinline]] void pass_rounds(Ring& ring, std::uint64_t count, Burst burst,
                                                 Burst pop, Rounds<Arrivals>& result,
                                                 RunControl& control) noexcept {
  constexpr std::uint64_t kRoundsPerLook = 4096;
  std::array<void*, kMaxBurst> items{};
  Arrivals arrivals = std::move(result.arrivals);
  const std::uint64_t first = first_item(0);
  const std::uint64_t end = first + count;
  std::uint64_t next = first;
  std::size_t left = 0;
  bool wrong = false;
  for (std::uint64_t round = 1; next != end; ++round) {
    const std::size_t wanted = std::min<std::uint64_t>(burst(), end - next);
    fill(items.data(), next, wanted);
    left = ring.push(0, items.data(), wanted);
    if (left == 0) [[unlikely]]
      break;
    next += left;
    do {
      const std::size_t got = ring.pop(0, items.data(), std::min(pop(), left));
      wrong = !arrivals.take(items.data(), got);
      if (got == 0 || wrong) [[unlikely]]
        break;
      left -= got;
    } while (left != 0);
    if (left != 0) [[unlikely]]
      break;
    if (round % kRoundsPerLook == 0 && control.expired()) break;
  }
  result.ended = RunControl::Clock::now();
  result.arrivals = std::move(arrivals);
  result.sent = next - first;
  result.items = result.sent - left;
  result.wrong = wrong;
}

template <RingAdapter Ring, class Arrivals, class Burst>
Outcome run_rounds(const Params& params, Burst burst, Burst pop) {
  Ring ring{params.size, 1};
  Rounds<Arrivals> rounds;
  RunControl control{params};
  Outcome outcome;
  outcome.error = run_together(params, 1, control, [&](unsigned) noexcept {
    pass_rounds(ring, params.count, burst, pop, rounds, control);
  });
  if (!outcome.error.empty()) return outcome;
  outcome.items = rounds.items;
  outcome.seconds = static_cast<double>(rounds.ended - control.started()) / 1e9;

  const Arrivals& arrivals = rounds.arrivals;
  const std::uint64_t sent = rounds.sent;
  const std::string so_far = std::to_string(outcome.items) + " of " + std::to_string(sent);
  if (rounds.wrong) {
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
