// What everybody writes first: a std::deque behind a std::mutex, bounded. One lock for a burst.
#include <algorithm>
#include <deque>
#include <mutex>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

namespace qdiscsim::ring_bench {
namespace {

class MutexDeque {
 public:
  static constexpr std::string_view kName = "mutex_deque";
  static constexpr std::string_view kAbout = "std::deque behind a std::mutex";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = true;
  static constexpr bool kOrdered = true;

  MutexDeque(std::size_t capacity, unsigned /*producers*/) : capacity_{capacity} {}

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    const std::lock_guard guard{mutex_};
    const std::size_t stored = std::min(count, capacity_ - queue_.size());
    queue_.insert(queue_.end(), items, items + stored);
    return stored;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    const std::lock_guard guard{mutex_};
    const std::size_t taken = std::min(count, queue_.size());
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(taken);
    std::copy(queue_.begin(), end, items);
    queue_.erase(queue_.begin(), end);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::deque<void*> queue_;
  std::size_t capacity_;
};

}  // namespace

void add_standard(Registry& registry) {
  add_ring<MutexDeque>(registry);
}

}  // namespace qdiscsim::ring_bench
