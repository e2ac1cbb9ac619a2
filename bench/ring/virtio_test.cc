#include "bench/ring/virtio_test.h"

#include <bit>

#include "bench/ring/registry.h"

namespace qdiscsim::ring_bench {
namespace {

template <class CacheAvail, VirtioSchedule kSchedule>
Outcome run(const Params& params) {
  if (!std::has_single_bit(params.size) || params.size > Vring<smp::Native>::kMaxSize) {
    Outcome outcome;
    outcome.error = "a vring's size is a power of two, 1 to 32768";
    return outcome;
  }
  return VirtioTest<CacheAvail, kSchedule>{params}.run();
}

}  // namespace

void add_virtio_test(Registry& registry) {
  Mode& mode = registry.mode("virtio_test");
  mode.about = "a vring between virtio_test's driver and vhost's test device, on one thread";
  mode.item = "buffers";
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
