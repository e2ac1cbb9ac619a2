// Cache-line geometry: the one place that knows how far apart two threads' data must lie.
#pragma once

#include <cstddef>

namespace qdiscsim {

// Bytes. Data written by one thread and read by another starts on its own line of this size.
inline constexpr std::size_t kCacheLine = 64;

}  // namespace qdiscsim
