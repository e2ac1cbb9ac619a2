// The rings of others, to be measured in the same run. Each one is optional: peers.cmake finds what
// this machine has, and defines QDISCSIM_PEER_NAME for it.
//
// Each is used as its own documentation says to use it well: its bulk calls, its tokens, the
// variety made for the mode. What its capacity means is said in the file that adapts it.
#pragma once

#include "bench/ring/registry.h"

namespace qdiscsim::ring_bench {

void add_dpdk(Registry& registry);
void add_concurrency_kit(Registry& registry);
void add_tbb(Registry& registry);
void add_moodycamel(Registry& registry);
void add_boost(Registry& registry);
void add_kernel(Registry& registry);
void add_standard(Registry& registry);

}  // namespace qdiscsim::ring_bench
