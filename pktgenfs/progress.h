// JobProgress of a Generator that runs as_pktgen: for backends whose jobs are generators.
#pragma once

#include "pktgen/generator.h"
#include "pktgenfs/backend.h"

namespace qdiscsim::pktgenfs {

// Any thread; `generator` ran no other job before, and its settings have as_pktgen.
template <class Smp>
JobProgress progress_of(const Generator<Smp>& generator) {
  const GeneratorCounters<Smp>& counters = generator.counters();
  JobProgress progress;
  progress.running = !generator.done();
  const RunResult result = generator.result();
  progress.started = counters.started_at.load(smp::relaxed);
  progress.stopped = progress.started + result.elapsed;
  progress.idle = result.idle;
  progress.sofar = result.sofar;
  progress.errors = result.errors;
  progress.bytes = result.bytes;
  progress.sequence = static_cast<std::uint32_t>(result.sofar) + 1;
  progress.out_of_memory =
      counters.no_memory.read() != counters.no_memory_before.load(smp::relaxed);
  progress.current = counters.current.fields();
  progress.flows = counters.current.flows.load(smp::relaxed);
  for (std::size_t i = 0; i < progress.imix.size(); ++i) {
    progress.imix[i] = counters.current.imix[i].read();
  }
  progress.holds_skb = result.frags >= 0;
  return progress;
}

}  // namespace qdiscsim::pktgenfs
