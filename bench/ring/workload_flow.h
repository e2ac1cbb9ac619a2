// Workloads `mpsc` and `spsc`: producers send consecutive items through the ring, one consumer
// checks every one of them and that nothing is left at the end.
//
// Waiting, for room as for items: 64 pauses, then the core is yielded (threads.h). Time runs from
// the common start to the consumer's last item.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/ring/adapter.h"
#include "bench/ring/items.h"
#include "bench/ring/threads.h"

namespace qdiscsim::ring_bench {

// A number that the compiler knows (the kernel's selftest moves single entries), or one of the run.
template <std::size_t kCount>
struct FixedBurst {
  constexpr std::size_t operator()() const noexcept { return kCount; }
};
struct RunBurst {
  std::size_t count;
  std::size_t operator()() const noexcept { return count; }
};

// Below this many pauses a wait is no stall, and not worth two readings of the clock: about a
// microsecond, by which a longer one reads short.
inline constexpr unsigned kPausesBeforeStall = 16;
// Pops between two looks at the clock by a consumer that never waits.
inline constexpr unsigned kPopsPerLook = 1024;

// The loops that are measured take the ring's code in whole (flatten), as the kernel's static
// inline functions are: else the compiler's guess at what is worth inlining would differ from ring
// to ring, and be a good part of the difference between two rings.

// One producer's work; returns how many items the ring took.
template <RingAdapter Ring, class Burst>
[[gnu::flatten, gnu::noinline]] std::uint64_t produce_items(Ring& ring, unsigned producer,
                                                            std::uint64_t count, Burst burst,
                                                            RunControl& control) noexcept {
  std::array<void*, kMaxBurst> items{};
  const std::uint64_t first = first_item(producer);
  const std::uint64_t end = first + count;
  std::uint64_t next = first;
  while (next != end && !control.stopped()) {
    const std::size_t wanted = std::min<std::uint64_t>(burst(), end - next);
    fill(items.data(), next, wanted);
    std::size_t stored = ring.push(producer, items.data(), wanted);
    while (stored != wanted) [[unlikely]] {
        Wait wait{control};
        std::size_t more = 0;
        do {
          if (!wait.pause()) return next + stored - first;
          more = ring.push(producer, items.data() + stored, wanted - stored);
        } while (more == 0);
        stored += more;
      }
    next += wanted;
  }
  return next - first;
}

struct Consumed {
  std::uint64_t items = 0;
  Nanoseconds ended = 0;
  Nanoseconds longest_stall = 0;
  bool wrong = false;
};

// Consumer 0's work: takes `count` items, or what comes until the run is over.
template <RingAdapter Ring, class Arrivals, class Burst>
[[gnu::flatten, gnu::noinline]] Consumed consume_items(Ring& ring, std::uint64_t count, Burst pop,
                                                       Arrivals& arrivals,
                                                       RunControl& control) noexcept {
  std::array<void*, kMaxBurst> items{};
  Consumed result;
  unsigned pops = 0;
  while (result.items < count) {
    std::size_t got = ring.pop(0, items.data(), pop());
    if (got == 0) {
      Wait wait{control};
      Nanoseconds since = 0;
      do {
        if (!wait.pause()) {
          result.ended = RunControl::Clock::now();
          return result;
        }
        if (wait.pauses() == kPausesBeforeStall) since = RunControl::Clock::now();
        got = ring.pop(0, items.data(), pop());
      } while (got == 0);
      if (since != 0) {
        result.longest_stall = std::max(result.longest_stall, RunControl::Clock::now() - since);
      }
    }
    if (!arrivals.take(items.data(), got)) [[unlikely]] {
      result.wrong = true;
      control.stop();
      break;
    }
    result.items += got;
    if (++pops % kPopsPerLook == 0 && control.expired()) break;
  }
  result.ended = RunControl::Clock::now();
  return result;
}

// What the time limit found missing, for the first few producers.
template <class Arrivals>
std::string missing_text(const RunControl& control, const Params& params, unsigned producers,
                         const std::vector<std::uint64_t>& sent, const Arrivals& arrivals,
                         std::uint64_t consumed) {
  constexpr unsigned kShown = 3;
  std::string text = control.time_limit_text() + ": " + std::to_string(params.count - consumed) +
                     " of " + std::to_string(params.count) + " items missing";
  unsigned shown = 0;
  for (unsigned p = 0; p < producers; ++p) {
    const std::uint64_t wanted = share_of(params.count, producers, p);
    if (arrivals.arrived(p) == wanted) continue;
    if (++shown > kShown) return text + "; and others";
    text += "; producer " + std::to_string(p) + ": " + std::to_string(arrivals.arrived(p)) +
            " of " + std::to_string(wanted) + " arrived, " + std::to_string(sent[p]) + " sent";
  }
  return text;
}

// After a run in which all items have arrived: what the ring still holds is one too many. Empty:
// nothing.
template <RingAdapter Ring>
std::string surplus_text(Ring& ring) {
  std::array<void*, 1> item{};
  if (ring.pop(0, item.data(), 1) == 0) return {};
  return "the ring does not end empty: expected nothing, found " + item_text(as_item(item[0]));
}

template <RingAdapter Ring, class Arrivals, class Burst>
Outcome run_flow(const Params& params, unsigned producers, Burst burst, Burst pop) {
  Ring ring{params.size, producers};
  Arrivals arrivals{producers};
  RunControl control{params};
  Consumed consumed;
  std::vector<std::uint64_t> sent(producers);  // each written once, at the end
  Outcome outcome;
  outcome.error = run_together(params, producers + 1, control, [&](unsigned who) noexcept {
    if (who == 0) {
      consumed = consume_items(ring, params.count, pop, arrivals, control);
    } else {
      sent[who - 1] =
          produce_items(ring, who - 1, share_of(params.count, producers, who - 1), burst, control);
    }
  });
  if (!outcome.error.empty()) return outcome;
  outcome.items = consumed.items;
  outcome.seconds = static_cast<double>(consumed.ended - control.started()) / 1e9;
  outcome.longest_stall = consumed.longest_stall;
  if (consumed.wrong) {
    outcome.error = arrivals.error();
  } else if (consumed.items < params.count) {
    outcome.error = missing_text(control, params, producers, sent, arrivals, consumed.items);
  } else {
    outcome.error = arrivals.final_error();
    if (outcome.error.empty()) outcome.error = surplus_text(ring);
  }
  return outcome;
}

template <RingAdapter Ring>
Outcome run_mpsc(const Params& params) {
  using Arrivals = std::conditional_t<Ring::kOrdered, OrderedArrivals, UnorderedArrivals>;
  return run_flow<Ring, Arrivals>(params, params.producers, RunBurst{params.burst},
                                  RunBurst{params.pop});
}

// With burst 1 both sides move single entries, as the kernel's selftest does, whatever `pop` says.
template <RingAdapter Ring>
Outcome run_spsc(const Params& params) {
  using Arrivals = std::conditional_t<Ring::kOrdered, OrderedStream, UnorderedArrivals>;
  if (params.burst == 1) {
    return run_flow<Ring, Arrivals>(params, 1, FixedBurst<1>{}, FixedBurst<1>{});
  }
  return run_flow<Ring, Arrivals>(params, 1, RunBurst{params.burst}, RunBurst{params.pop});
}

}  // namespace qdiscsim::ring_bench
