// The process's own figures, as every Prometheus client library shows them.
#pragma once

#include <cstdint>

namespace qdiscsim {

struct ProcessStats {
  double cpu_seconds = 0;  // user and system
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  double max_fds = 0;     // +Inf when unlimited
  double start_time = 0;  // seconds since 1970
};

// Any thread. A figure that /proc does not give (a hidden /proc) is 0; never throws.
ProcessStats read_process_stats() noexcept;

// Seconds since 1970, now.
double unix_time() noexcept;

}  // namespace qdiscsim
