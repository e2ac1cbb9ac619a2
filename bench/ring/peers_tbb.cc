// oneTBB's concurrent_bounded_queue with try_push and try_pop, which never block. It has no calls
// for bursts. Capacity is exact.
#include <oneapi/tbb/concurrent_queue.h>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

namespace qdiscsim::ring_bench {
namespace {

class TbbQueue {
 public:
  static constexpr std::string_view kName = "tbb";
  static constexpr std::string_view kAbout = "oneapi::tbb::concurrent_bounded_queue";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = true;
  static constexpr bool kOrdered = true;

  TbbQueue(std::size_t capacity, unsigned /*producers*/) {
    queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity));
  }

  // It allocates pages as it goes; short of memory it would end the program, as any of them would.
  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    std::size_t stored = 0;
    while (stored < count && queue_.try_push(items[stored])) ++stored;
    return stored;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    std::size_t taken = 0;
    while (taken < count && queue_.try_pop(items[taken])) ++taken;
    return taken;
  }

 private:
  oneapi::tbb::concurrent_bounded_queue<void*> queue_;
};

}  // namespace

void add_tbb(Registry& registry) {
  add_ring<TbbQueue>(registry);
}

}  // namespace qdiscsim::ring_bench
