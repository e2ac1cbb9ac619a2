// The alignment of what two CPUs write: the line that the project's own rings assume.
#pragma once

#include "base/cacheline.h"

inline constexpr unsigned SMP_CACHE_BYTES = qdiscsim::kCacheLine;

#define ____cacheline_aligned_in_smp alignas(qdiscsim::kCacheLine)
