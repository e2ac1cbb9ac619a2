// The workloads that every ring can be put through, and how an adapter becomes a variant of them.
//
//   simple    one thread, in and out again            workload_simple.h
//   spsc      one producer, one consumer               workload_flow.h
//   mpsc      many producers, one consumer             workload_flow.h
//   stress    workers that take and put back           workload_stress.h
//   ringtest  guest and host, there and back           workload_ringtest.h
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "bench/ring/registry.h"
#include "bench/ring/workload_flow.h"
#include "bench/ring/workload_ringtest.h"
#include "bench/ring/workload_simple.h"
#include "bench/ring/workload_stress.h"

namespace qdiscsim::ring_bench {

// A ring may refuse its size or lack memory: the outcome says so.
template <class Run>
auto guarded(Run run) {
  return [run](const Params& params) {
    try {
      return run(params);
    } catch (const std::exception& error) {
      Outcome outcome;
      outcome.error = error.what();
      return outcome;
    }
  };
}

template <class Run>
void add_variant(Registry& registry, std::string_view mode, std::string_view name,
                 std::string_view about, Run run) {
  registry.add(mode, Variant{std::string{name}, std::string{about}, guarded(run)});
}

// One ring under one workload, for rings that need another adapter in another mode.
template <RingAdapter Ring>
void add_simple(Registry& registry) {
  add_variant(registry, "simple", Ring::kName, Ring::kAbout, &run_simple<Ring>);
}
template <RingAdapter Ring>
void add_spsc(Registry& registry) {
  add_variant(registry, "spsc", Ring::kName, Ring::kAbout, &run_spsc<Ring>);
}
template <RingAdapter Ring>
void add_mpsc(Registry& registry) {
  static_assert(Ring::kManyProducers);
  add_variant(registry, "mpsc", Ring::kName, Ring::kAbout, &run_mpsc<Ring>);
}
template <RingAdapter Ring>
void add_stress(Registry& registry) {
  static_assert(Ring::kManyProducers && Ring::kManyConsumers);
  add_variant(registry, "stress", Ring::kName, Ring::kAbout, &run_stress<Ring>);
}
template <RingAdapter Ring>
void add_ringtest(Registry& registry) {
  add_variant(registry, "ringtest", Ring::kName, Ring::kAbout, &run_ringtest<Ring>);
}

// simple, spsc and ringtest.
template <RingAdapter Ring>
void add_pairwise(Registry& registry) {
  add_simple<Ring>(registry);
  add_spsc<Ring>(registry);
  add_ringtest<Ring>(registry);
}

// All that the ring can do.
template <RingAdapter Ring>
void add_ring(Registry& registry) {
  add_pairwise<Ring>(registry);
  if constexpr (Ring::kManyProducers) add_mpsc<Ring>(registry);
  if constexpr (Ring::kManyProducers && Ring::kManyConsumers) add_stress<Ring>(registry);
}

}  // namespace qdiscsim::ring_bench
