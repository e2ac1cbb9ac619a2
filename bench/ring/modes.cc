// Which modes there are, and who fills them with rings.
#include <array>

#include "bench/ring/registry.h"

namespace qdiscsim::ring_bench {

// Those that this build lacks are null.
[[gnu::weak]] void add_ptr_rings(Registry& registry);
[[gnu::weak]] void add_mpsc_rings(Registry& registry);
[[gnu::weak]] void add_rte_rings(Registry& registry);
[[gnu::weak]] void add_peers(Registry& registry);
[[gnu::weak]] void add_virtio_test(Registry& registry);
[[gnu::weak]] void add_vhost_net(Registry& registry);
[[gnu::weak]] void add_page_pool(Registry& registry);
[[gnu::weak]] void add_pfifo_fast(Registry& registry);

namespace {

struct Known {
  const char* name;
  const char* about;
  const char* item;
};

// In the order of their numbers for -m. 0 and 1 are those of the kernel's selftest of ptr_ring.
constexpr std::array<Known, 9> kModes{{
    {"simple", "one thread puts a burst in and takes it out again", "items"},
    {"spsc", "two threads; the consumer checks every value", "items"},
    {"mpsc", "several producers, one consumer, which checks the order of each", "items"},
    {"stress", "every thread takes objects out and puts them back, 28 to 43 at a time", "items"},
    {"ringtest", "host and guest with a limit of outstanding items, sleeping or polling", "items"},
    {"virtio_test", "a driver and a vhost-like worker over a split ring", "buffers"},
    {"vhost_net", "pktgen to a tun ring to a vhost-like worker to a split ring", "packets"},
    {"page_pool", "pages allocated and given back on the three ways of page_pool", "pages"},
    {"pfifo_fast", "pktgen threads through pfifo_fast", "packets"},
}};

}  // namespace

Registry all_modes() {
  Registry registry;
  for (const Known& known : kModes) {
    Mode& mode = registry.mode(known.name);
    mode.about = known.about;
    mode.item = known.item;
  }
  for (auto* add : {&add_ptr_rings, &add_mpsc_rings, &add_rte_rings, &add_peers, &add_virtio_test,
                    &add_vhost_net, &add_page_pool, &add_pfifo_fast}) {
    if (add != nullptr) add(registry);
  }
  return registry;
}

}  // namespace qdiscsim::ring_bench
