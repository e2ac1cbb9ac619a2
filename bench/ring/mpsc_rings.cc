// The two answers to "a lock or compare-and-swap": MpscRing (`cas`) and LaneRing (`lanes`). One
// consumer, so `stress` does not have them.
#include <span>

#include "base/smp_native.h"
#include "bench/ring/workloads.h"
#include "ring/lane_ring.h"
#include "ring/mpsc_ring.h"

namespace qdiscsim::ring_bench {
namespace {

using Smp = smp::Native;

class CasAdapter {
 public:
  static constexpr std::string_view kName = "cas";
  static constexpr std::string_view kAbout = "mpsc ring, one compare-and-swap for a burst";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = false;
  static constexpr bool kOrdered = true;

  CasAdapter(std::size_t capacity, unsigned /*producers*/) : ring_{capacity} {}

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    if (count == 1) return ring_.produce(items[0]) ? 1 : 0;
    return ring_.produce_batched(std::span<void* const>{items, count});
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    if (count == 1) {
      items[0] = ring_.consume_unlocked();
      return items[0] != nullptr ? 1 : 0;
    }
    return ring_.consume_batched_unlocked(std::span<void*>{items, count});
  }

 private:
  MpscRing<Smp> ring_;
};

class LanesAdapter {
 public:
  static constexpr std::string_view kName = "lanes";
  static constexpr std::string_view kAbout = "a lane for each producer, FIFO per producer only";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = false;
  static constexpr bool kOrdered = true;  // per producer, which is what the workloads check

  LanesAdapter(std::size_t capacity, unsigned producers) : ring_{capacity, producers} {}

  std::size_t push(unsigned producer, void* const* items, std::size_t count) noexcept {
    if (count == 1) return ring_.produce(items[0], producer) ? 1 : 0;
    return ring_.produce_batched(std::span<void* const>{items, count}, producer);
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    if (count == 1) {
      items[0] = ring_.consume_unlocked();
      return items[0] != nullptr ? 1 : 0;
    }
    return ring_.consume_batched_unlocked(std::span<void*>{items, count});
  }

 private:
  LaneRing<Smp> ring_;
};

}  // namespace

void add_mpsc_rings(Registry& registry) {
  add_ring<CasAdapter>(registry);
  add_ring<LanesAdapter>(registry);
}

}  // namespace qdiscsim::ring_bench
