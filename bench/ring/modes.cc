// Which modes there are, and who fills them with rings.
#include <array>

#include "bench/ring/registry.h"

namespace qdiscsim::ring_bench {

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
  add_ptr_rings(registry);
  add_mpsc_rings(registry);
  add_rte_rings(registry);
  add_peers(registry);
  add_virtio_test(registry);
  add_vhost_net(registry);
  add_page_pool(registry);
  add_pfifo_fast(registry);
  registry.missing = missing_peers();
  return registry;
}

}  // namespace qdiscsim::ring_bench
