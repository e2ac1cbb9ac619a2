// How many packet pages a configuration can hold at once. No locks, no allocation: plain arithmetic
// over the Config.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace qdiscsim::config {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kPagesPerThread =
    192;                                             // a full pool cache (128) and one refill (64)
inline constexpr std::uint64_t kPagesInMotion = 64;  // requeue list, bad-txq list, one bulk

// Pages below which the queues cannot fill: a sender would starve before a band is full, and drops
// would be missing. Sum over the threads of kPagesPerThread, plus, for each device that a generator
// names, sum over its queues of three full bands (queue_xmit only), the driver ring of a wire or
// tun's ring and what a vhost worker takes from it at once, and kPagesInMotion. Pages resting in a
// pool's ring are not counted: the pool uses them first. With pktgen.control_fs every device counts
// as named, and so does one device of pktgen for each of pktgen.threads, at least one.
std::uint64_t required_pages(const Config& config);

// Pages in whole MiB, rounded up.
std::uint64_t mib_of(std::uint64_t pages);
inline std::uint64_t required_mib(const Config& config) {
  return mib_of(required_pages(config));
}

}  // namespace qdiscsim::config
