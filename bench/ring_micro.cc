// ring_micro: what the Smp policy costs. PtrRing<smp::Native> against the same ring written with
// std::atomic (atomic_ring.h), one thread, nothing contended. The difference must be noise.
//
//   round_trip   produce one, consume one
//   batch        produce 64, consume 64: the ring moves on, slots are cleared 16 at a time
//   locked       the same with the producer lock taken for each entry
//
// bench/micro.py runs it in interleaved rounds; "std_atomic_again" is its A/A control.
#include <benchmark/benchmark.h>

#include "base/smp_native.h"
#include "bench/atomic_ring.h"
#include "ring/ptr_ring.h"

namespace qdiscsim::bench {
namespace {

constexpr std::size_t kSize = 1024;
constexpr std::size_t kBatch = 64;

enum class Form : std::uint8_t { kRoundTrip, kInBatches, kLocked };

template <class Ring, Form kForm>
void run(benchmark::State& state) {
  Ring ring{kSize};
  int entry = 0;
  constexpr std::size_t kEntries = kForm == Form::kRoundTrip ? 1 : kBatch;
  std::size_t lost = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kEntries; ++i) {
      const bool stored =
          kForm == Form::kLocked ? ring.produce(&entry) : ring.produce_unlocked(&entry);
      lost += stored ? 0 : 1;
    }
    for (std::size_t i = 0; i < kEntries; ++i) {
      void* got = ring.consume_unlocked();
      benchmark::DoNotOptimize(got);
    }
  }
  if (lost != 0) state.SkipWithError("the ring refused an entry");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kEntries));
}

using Policy = PtrRing<smp::Native>;

BENCHMARK_TEMPLATE(run, Policy, Form::kRoundTrip)->Name("round_trip/ptr_ring");
BENCHMARK_TEMPLATE(run, AtomicRing, Form::kRoundTrip)->Name("round_trip/std_atomic");
BENCHMARK_TEMPLATE(run, AtomicRing, Form::kRoundTrip)->Name("round_trip/std_atomic_again");
BENCHMARK_TEMPLATE(run, Policy, Form::kInBatches)->Name("batch/ptr_ring");
BENCHMARK_TEMPLATE(run, AtomicRing, Form::kInBatches)->Name("batch/std_atomic");
BENCHMARK_TEMPLATE(run, AtomicRing, Form::kInBatches)->Name("batch/std_atomic_again");
BENCHMARK_TEMPLATE(run, Policy, Form::kLocked)->Name("locked/ptr_ring");
BENCHMARK_TEMPLATE(run, AtomicRing, Form::kLocked)->Name("locked/std_atomic");
BENCHMARK_TEMPLATE(run, AtomicRing, Form::kLocked)->Name("locked/std_atomic_again");

}  // namespace
}  // namespace qdiscsim::bench
