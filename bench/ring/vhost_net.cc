#include "bench/ring/vhost_net.h"

#include "bench/ring/registry.h"
#include "ring/clear_policy.h"

namespace qdiscsim::ring_bench {
namespace {

template <class Clear>
using TunRing = PtrRing<smp::Native, TestAndSetLock<smp::Native>, Clear>;

constexpr std::size_t kBatch = 64;  // VHOST_NET_BATCH

}  // namespace

// The three generations of 2017.
void add_vhost_net(Registry& registry) {
  Mode& mode = registry.mode("vhost_net");
  mode.about = "pktgen -> tun's ptr_ring (-s) -> vhost worker -> vring -> guest, three threads";
  mode.item = "packets";
  registry.add("vhost_net",
               {"zero_each", "clears each slot; the worker takes one by one",
                [](const Params& params) { return run_vhost_net<TunRing<ZeroEach>>(params, 1); }});
  registry.add("vhost_net",
               {"zero_batch", "clears in batches; the worker takes one by one",
                [](const Params& params) { return run_vhost_net<TunRing<ZeroBatch>>(params, 1); }});
  registry.add(
      "vhost_net",
      {"zero_batch_consume_batched", "clears in batches; the worker takes 64 at once",
       [](const Params& params) { return run_vhost_net<TunRing<ZeroBatch>>(params, kBatch); }});
}

}  // namespace qdiscsim::ring_bench
