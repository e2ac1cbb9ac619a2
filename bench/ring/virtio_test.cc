#include "bench/ring/virtio_test.h"

#include "bench/ring/registry.h"

namespace qdiscsim::ring_bench {
namespace {

template <class CacheAvail, VirtioSchedule kSchedule>
Outcome run(const Params& params) {
  return VirtioTest<CacheAvail, kSchedule>{params}.run();
}

}  // namespace

void add_virtio_test(Registry& registry) {
  Mode& mode = registry.mode("virtio_test");
  mode.about = "a vring between virtio_test's driver and vhost's test device, on one thread";
  mode.item = "buffers";
  mode.most_buffers = Vring<smp::Native>::kMaxSize;
  using enum VirtioSchedule;
  registry.add("virtio_test", {"drop_avail_index", "forgets the index that enable_notify reads",
                               &run<DropAvailIndex, kCoin>});
  registry.add("virtio_test",
               {"cache_avail_index", "keeps it (kernel 5.18)", &run<KeepAvailIndex, kCoin>});
  registry.add("virtio_test",
               {"drop_avail_index_lockstep", "the same with a driver that adds before each take",
                &run<DropAvailIndex, kLockstep>});
  registry.add("virtio_test",
               {"cache_avail_index_lockstep", "the same with a driver that adds before each take",
                &run<KeepAvailIndex, kLockstep>});
}

}  // namespace qdiscsim::ring_bench
