// Where the threads of a run sit, by Params::cpus.
#pragma once

#include <sched.h>

#include <cstddef>

#include "bench/ring/params.h"

namespace qdiscsim::ring_bench {

// Binds the calling thread, the thread-th of the run (the consumer, or the only one, is 0). Nothing
// when the run is unpinned. False when the system refuses: the run should then end with an error,
// since its figures would not be what the report says. Call it before the common start.
inline bool pin(const Params& params, std::size_t thread) noexcept {
  if (params.cpus.empty()) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(params.cpus[thread % params.cpus.size()]), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Thread 0 is usually the caller of run() itself, which must be put back where it was.
class Pinned {
 public:
  Pinned(const Params& params, std::size_t thread) noexcept {
    known_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    done_ = pin(params, thread);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() {
    if (known_) sched_setaffinity(0, sizeof before_, &before_);
  }

  bool done() const noexcept { return done_; }

 private:
  cpu_set_t before_{};
  bool known_ = false;
  bool done_ = false;
};

}  // namespace qdiscsim::ring_bench
