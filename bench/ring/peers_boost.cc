// Boost.Lockfree: queue (Michael and Scott's, nodes from an array of fixed size) and spsc_queue.
//
// queue holds at most 65534 items and has no calls for bursts. Capacity is exact in both. simple,
// spsc and ringtest show spsc_queue as `boost_spsc`, with its calls for arrays.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <stdexcept>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

namespace qdiscsim::ring_bench {
namespace {

class BoostQueue {
 public:
  static constexpr std::string_view kName = "boost";
  static constexpr std::string_view kAbout = "boost::lockfree::queue of fixed size";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = true;
  static constexpr bool kOrdered = true;

  BoostQueue(std::size_t capacity, unsigned /*producers*/) : queue_{checked(capacity)} {}

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    std::size_t stored = 0;
    while (stored < count && queue_.bounded_push(items[stored])) ++stored;
    return stored;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    std::size_t taken = 0;
    while (taken < count && queue_.pop(items[taken])) ++taken;
    return taken;
  }

 private:
  static std::size_t checked(std::size_t capacity) {
    constexpr std::size_t kMost = 65534;
    if (capacity > kMost) throw std::length_error{"boost::lockfree::queue holds at most 65534"};
    return capacity;
  }

  boost::lockfree::queue<void*, boost::lockfree::fixed_sized<true>> queue_;
};

class BoostSpsc {
 public:
  static constexpr std::string_view kName = "boost_spsc";
  static constexpr std::string_view kAbout = "boost::lockfree::spsc_queue";
  static constexpr bool kManyProducers = false;
  static constexpr bool kManyConsumers = false;
  static constexpr bool kOrdered = true;

  BoostSpsc(std::size_t capacity, unsigned /*producers*/) : queue_{capacity} {}

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    if (count == 1) return queue_.push(items[0]) ? 1 : 0;
    return queue_.push(items, count);
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    if (count == 1) return queue_.pop(items[0]) ? 1 : 0;
    return queue_.pop(items, count);
  }

 private:
  boost::lockfree::spsc_queue<void*> queue_;
};

}  // namespace

void add_boost(Registry& registry) {
  add_ring<BoostQueue>(registry);
  add_ring<BoostSpsc>(registry);
}

}  // namespace qdiscsim::ring_bench
