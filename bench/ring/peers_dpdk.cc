// DPDK's rte_ring, from librte_ring, on memory of our own: no EAL, no huge pages.
//
// dpdk_st, _mt, _rts and _hts are its sync modes. With one consumer the consumer's side is always
// ST; in `stress` both sides have the mode. Capacity is exact (RING_F_EXACT_SZ), bursts as many as
// fit. The calls are those of the mode itself, which spares the ring's choice by mode on each call.
#include <rte_ring.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

namespace qdiscsim::ring_bench {
namespace {

struct SingleThread {
  static constexpr std::string_view kName = "dpdk_st";
  static constexpr std::string_view kAbout = "rte_ring of DPDK, one thread a side (ST)";
  static constexpr unsigned kProducer = RING_F_SP_ENQ;
  static constexpr unsigned kConsumer = RING_F_SC_DEQ;
  static unsigned enqueue(rte_ring* ring, void* const* items, unsigned count) noexcept {
    return rte_ring_sp_enqueue_burst(ring, items, count, nullptr);
  }
  static unsigned dequeue(rte_ring* ring, void** items, unsigned count) noexcept {
    return rte_ring_sc_dequeue_burst(ring, items, count, nullptr);
  }
};
struct MultiThread {
  static constexpr std::string_view kName = "dpdk_mt";
  static constexpr std::string_view kAbout = "rte_ring of DPDK, compare-and-swap (MT)";
  static constexpr unsigned kProducer = 0;
  static constexpr unsigned kConsumer = 0;
  static unsigned enqueue(rte_ring* ring, void* const* items, unsigned count) noexcept {
    return rte_ring_mp_enqueue_burst(ring, items, count, nullptr);
  }
  static unsigned dequeue(rte_ring* ring, void** items, unsigned count) noexcept {
    return rte_ring_mc_dequeue_burst(ring, items, count, nullptr);
  }
};
struct RelaxedTail {
  static constexpr std::string_view kName = "dpdk_rts";
  static constexpr std::string_view kAbout = "rte_ring of DPDK, relaxed tail (RTS)";
  static constexpr unsigned kProducer = RING_F_MP_RTS_ENQ;
  static constexpr unsigned kConsumer = RING_F_MC_RTS_DEQ;
  static unsigned enqueue(rte_ring* ring, void* const* items, unsigned count) noexcept {
    return rte_ring_mp_rts_enqueue_burst(ring, items, count, nullptr);
  }
  static unsigned dequeue(rte_ring* ring, void** items, unsigned count) noexcept {
    return rte_ring_mc_rts_dequeue_burst(ring, items, count, nullptr);
  }
};
struct HeadTail {
  static constexpr std::string_view kName = "dpdk_hts";
  static constexpr std::string_view kAbout = "rte_ring of DPDK, head and tail as one word (HTS)";
  static constexpr unsigned kProducer = RING_F_MP_HTS_ENQ;
  static constexpr unsigned kConsumer = RING_F_MC_HTS_DEQ;
  static unsigned enqueue(rte_ring* ring, void* const* items, unsigned count) noexcept {
    return rte_ring_mp_hts_enqueue_burst(ring, items, count, nullptr);
  }
  static unsigned dequeue(rte_ring* ring, void** items, unsigned count) noexcept {
    return rte_ring_mc_hts_dequeue_burst(ring, items, count, nullptr);
  }
};

template <class Producer, class Consumer>
class DpdkRing {
 public:
  static constexpr std::string_view kName = Producer::kName;
  static constexpr std::string_view kAbout = Producer::kAbout;
  static constexpr bool kManyProducers = Producer::kProducer != RING_F_SP_ENQ;
  static constexpr bool kManyConsumers = Consumer::kConsumer != RING_F_SC_DEQ;
  static constexpr bool kOrdered = true;

  DpdkRing(std::size_t capacity, unsigned /*producers*/) {
    constexpr std::size_t kAlignment = 128;
    const auto slots = static_cast<unsigned>(std::bit_ceil(capacity + 1));
    const ssize_t bytes = rte_ring_get_memsize(slots);
    if (capacity > RTE_RING_SZ_MASK / 2 || bytes < 0) {
      throw std::length_error{"rte_ring refuses this size"};
    }
    const std::size_t rounded = (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment;
    ring_.reset(static_cast<rte_ring*>(std::aligned_alloc(kAlignment, rounded * kAlignment)));
    if (ring_ == nullptr) throw std::bad_alloc{};
    if (rte_ring_init(ring_.get(), "ring_bench", static_cast<unsigned>(capacity),
                      Producer::kProducer | Consumer::kConsumer | RING_F_EXACT_SZ) != 0) {
      throw std::runtime_error{"rte_ring_init refuses this size or mode"};
    }
  }

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    return Producer::enqueue(ring_.get(), items, static_cast<unsigned>(count));
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    return Consumer::dequeue(ring_.get(), items, static_cast<unsigned>(count));
  }

 private:
  struct Free {
    void operator()(rte_ring* ring) const noexcept { std::free(ring); }
  };
  std::unique_ptr<rte_ring, Free> ring_;
};

template <class Mode>
void add_mode(Registry& registry) {
  add_ring<DpdkRing<Mode, SingleThread>>(registry);
  add_stress<DpdkRing<Mode, Mode>>(registry);
}

}  // namespace

void add_dpdk(Registry& registry) {
  add_pairwise<DpdkRing<SingleThread, SingleThread>>(registry);
  add_mode<MultiThread>(registry);
  add_mode<RelaxedTail>(registry);
  add_mode<HeadTail>(registry);
}

}  // namespace qdiscsim::ring_bench
