// RteRing's sync policies under test. As with dpdk_st ... dpdk_hts, a single consumer is always
// SingleThread; `stress` has the policy on both sides. rte_mt_busy waits as DPDK does, without ever
// giving the core away: the one that collapses when threads share cores.
#include "bench/ring/rte_adapters.h"
#include "bench/ring/workloads.h"

namespace qdiscsim::ring_bench {
namespace {

struct StLabel {
  static constexpr const char* kName = "rte_st";
  static constexpr const char* kAbout = "rte_ring, one thread a side (ST)";
};
struct MtLabel {
  static constexpr const char* kName = "rte_mt";
  static constexpr const char* kAbout = "rte_ring, compare-and-swap and published in order (MT)";
};
struct MtBusyLabel {
  static constexpr const char* kName = "rte_mt_busy";
  static constexpr const char* kAbout = "the same, waiting for its turn without a yield";
};
struct RtsLabel {
  static constexpr const char* kName = "rte_rts";
  static constexpr const char* kAbout = "rte_ring, relaxed tail (RTS)";
};
struct HtsLabel {
  static constexpr const char* kName = "rte_hts";
  static constexpr const char* kAbout = "rte_ring, head and tail as one word (HTS)";
};

template <class Label, class Sync>
void add_shared(Registry& registry) {
  add_ring<RteRingAdapter<Label, Sync, SingleThread>>(registry);
  add_stress<RteRingAdapter<Label, Sync, Sync>>(registry);
}

}  // namespace

void add_rte_rings(Registry& registry) {
  add_ring<RteRingAdapter<StLabel, SingleThread, SingleThread>>(registry);
  add_shared<MtLabel, MultiThread>(registry);
  add_shared<MtBusyLabel, MultiThreadWith<BusyWait>>(registry);
  add_shared<RtsLabel, RelaxedTailSync>(registry);
  add_shared<HtsLabel, HeadTailSync>(registry);
}

}  // namespace qdiscsim::ring_bench
