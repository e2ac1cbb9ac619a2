// JobProgress of a Generator that runs as_pktgen: for backends whose jobs are generators.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "pktgen/generator.h"
#include "pktgenfs/backend.h"

namespace qdiscsim::pktgenfs {

// Where a generator's counters, which go on from job to job, stood when a job began.
template <class Smp>
struct JobStart {
  // The generator rests, and starts after this.
  explicit JobStart(const GeneratorCounters<Smp>& counters)
      : at{Smp::now()},
        idle{counters.idle_ns.read()},
        sent{counters.sent.read()},
        errors{counters.errors.read()},
        bytes{counters.sent_bytes.read()},
        no_memory{counters.no_memory.read()} {
    for (std::size_t i = 0; i < imix.size(); ++i) imix[i] = counters.current.imix[i].read();
  }

  Nanoseconds at;
  Nanoseconds idle;
  std::uint64_t sent;
  std::uint64_t errors;
  std::uint64_t bytes;
  std::uint64_t no_memory;
  std::array<std::uint64_t, Traffic::kMostImix> imix{};
};

// Any thread; the settings of the generator's job have as_pktgen.
template <class Smp>
JobProgress progress_of(const Generator<Smp>& generator, const JobStart<Smp>& start) {
  const GeneratorCounters<Smp>& counters = generator.counters();
  JobProgress out;
  // Asked first: what is read after the end no longer changes.
  out.running = !generator.done();
  out.started = std::max(start.at, counters.started_at.load(smp::relaxed));
  out.stopped =
      std::max(out.started, out.running ? Smp::now() : counters.stopped_at.load(smp::relaxed));
  out.idle = std::min(counters.idle_ns.read() - start.idle, out.stopped - out.started);
  out.sofar = counters.sent.read() - start.sent;
  out.errors = counters.errors.read() - start.errors;
  out.bytes = counters.sent_bytes.read() - start.bytes;
  out.sequence = static_cast<std::uint32_t>(out.sofar) + 1;
  out.out_of_memory = counters.no_memory.read() != start.no_memory;
  out.flows = counters.current.flows.load(smp::relaxed);
  out.current = counters.current.fields();
  for (std::size_t i = 0; i < out.imix.size(); ++i) {
    out.imix[i] = counters.current.imix[i].read() - start.imix[i];
  }
  out.holds_skb = counters.holds_skb.load(smp::relaxed);
  return out;
}

}  // namespace qdiscsim::pktgenfs
