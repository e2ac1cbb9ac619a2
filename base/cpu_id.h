// A "CPU" in qdiscsim is one data-plane thread: a generator, a link's completion thread or a
// dedicated drain thread. Its number indexes every per-CPU block of counters, so that no counter
// has two writers.
#pragma once

#include <cstdint>

namespace qdiscsim {

using CpuId = std::uint32_t;

}  // namespace qdiscsim
