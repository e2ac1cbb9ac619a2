// RteRing under test, one adapter for all pairs of sync policies. Capacity is exact, bursts as many
// as fit, as with DPDK's own ring beside it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/smp_native.h"
#include "bench/ring/adapter.h"
#include "ring/rte_ring.h"

namespace qdiscsim::ring_bench {

// Label: kName, kAbout.
template <class Label, class ProducerSync, class ConsumerSync>
class RteRingAdapter {
 public:
  static constexpr std::string_view kName = Label::kName;
  static constexpr std::string_view kAbout = Label::kAbout;
  static constexpr bool kManyProducers = !std::is_same_v<ProducerSync, SingleThread>;
  static constexpr bool kManyConsumers = !std::is_same_v<ConsumerSync, SingleThread>;
  static constexpr bool kOrdered = true;

  RteRingAdapter(std::size_t capacity, unsigned /*producers*/)
      : ring_{capacity, RteRingOptions{.exact = true}} {}

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    return ring_.enqueue_burst(std::span<void* const>{items, count}).count;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    return ring_.dequeue_burst(std::span<void*>{items, count}).count;
  }

 private:
  RteRing<smp::Native, ProducerSync, ConsumerSync> ring_;
};

}  // namespace qdiscsim::ring_bench
