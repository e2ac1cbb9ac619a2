#include "bench/ring/peers.h"

namespace qdiscsim::ring_bench {

void add_peers(Registry& registry) {
#ifdef QDISCSIM_PEER_DPDK
  add_dpdk(registry);
#endif
#ifdef QDISCSIM_PEER_CK
  add_concurrency_kit(registry);
#endif
#ifdef QDISCSIM_PEER_TBB
  add_tbb(registry);
#endif
#ifdef QDISCSIM_PEER_MOODYCAMEL
  add_moodycamel(registry);
#endif
#ifdef QDISCSIM_PEER_BOOST
  add_boost(registry);
#endif
#ifdef QDISCSIM_PEER_KERNEL
  add_kernel(registry);
#endif
  add_standard(registry);
}

std::vector<std::string> missing_peers() {
  std::vector<std::string> missing;
#ifndef QDISCSIM_PEER_DPDK
  missing.emplace_back("dpdk (Debian: libdpdk-dev)");
#endif
#ifndef QDISCSIM_PEER_CK
  missing.emplace_back("ck, Concurrency Kit (Debian: libck-dev)");
#endif
#ifndef QDISCSIM_PEER_TBB
  missing.emplace_back("tbb, oneTBB (Debian: libtbb-dev)");
#endif
#ifndef QDISCSIM_PEER_MOODYCAMEL
  missing.emplace_back("moodycamel (Debian: libconcurrentqueue-dev)");
#endif
#ifndef QDISCSIM_PEER_BOOST
  missing.emplace_back("boost, Boost.Lockfree (Debian: libboost-dev)");
#endif
#ifndef QDISCSIM_PEER_KERNEL
  missing.emplace_back("kernel, its own ptr_ring.h (docs/kernel-ptr-ring.md says how)");
#endif
  return missing;
}

}  // namespace qdiscsim::ring_bench
