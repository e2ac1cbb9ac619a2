// How many packet pages a configuration can hold at once, and how many the arena gets. No locks, no
// allocation: plain arithmetic over the Config.
//
// Two bounds. Below required_pages() the queues cannot fill. Between it and held_pages() they can,
// but a page_pool that had many packets waiting keeps their pages in its ring afterwards, as in the
// kernel it does, and a generator that comes later may find none left: it then counts no_memory for
// as long as the others keep theirs.
#pragma once

#include <cstdint>
#include <string>

#include "config/config.h"

namespace qdiscsim::config {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kPagesPerThread =
    192;                                             // a full pool cache (128) and one refill (64)
inline constexpr std::uint64_t kPagesInMotion = 64;  // requeue list, bad-txq list, one bulk

// The limit where memory.limit is not given, in bytes: what is needed between these.
inline constexpr std::uint64_t kLeastByDefault = 48ULL << 20U;
inline constexpr std::uint64_t kMostByDefault = 1ULL << 30U;

// Pages below which the queues cannot fill: a sender would starve before a band is full, and drops
// would be missing. Sum over the threads of kPagesPerThread and what their leak keeps, plus, for
// each device that a generator names, sum over its queues of three full bands (queue_xmit only),
// the driver ring of a wire or tun's ring and what a vhost worker takes from it at once, and
// kPagesInMotion. With pktgen.control_fs every device counts as named, and so does one device of
// pktgen for each of pktgen.threads, at least one.
std::uint64_t required_pages(const Config& config);

// The most that pools can hold: required_pages() and, for each thread, what can rest in its pool's
// ring: the ring's entries, but no more than can have waited on the thread's device, since a pool
// takes new pages only while all that it has are out.
std::uint64_t held_pages(const Config& config);

// Pages of the arena: of memory.limit, or else of held_pages() within the bounds above.
std::uint64_t arena_pages(const Config& config);

// Empty when `pages` are enough for held_pages(); else one sentence with the way out.
std::string scarce_memory(const Config& config, std::uint64_t pages);

// Pages in whole MiB, rounded up.
std::uint64_t mib_of(std::uint64_t pages);
inline std::uint64_t required_mib(const Config& config) {
  return mib_of(required_pages(config));
}

}  // namespace qdiscsim::config
