// moodycamel::ConcurrentQueue: a queue of its own for each producer, visited in turn by the
// consumer; order is kept per producer. Used with its tokens and its calls for bulk.
//
// It is unbounded by nature. Here each producer gets its share of the capacity, in whole blocks of
// 32 items, before the run, and try_enqueue_bulk, which never allocates, is refused when they are
// full: at most 64 items a producer above the capacity asked for. A bulk goes in whole or not at
// all, so a burst that is refused is tried in halves.
#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

// g++ follows a token without a producer, which there is none of, into the queue's own code.
#pragma GCC diagnostic ignored "-Wstringop-overflow"

namespace qdiscsim::ring_bench {
namespace {

class MoodycamelQueue {
 public:
  static constexpr std::string_view kName = "moodycamel";
  static constexpr std::string_view kAbout = "moodycamel::ConcurrentQueue, tokens and bulk calls";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = true;
  static constexpr bool kOrdered = true;

  MoodycamelQueue(std::size_t capacity, unsigned producers) : queue_{0} {
    sides_.reserve(producers);
    for (unsigned i = 0; i < producers; ++i) sides_.push_back(std::make_unique<Side>(queue_));
    // A producer keeps the blocks that it has once filled.
    const std::size_t share = (capacity + producers - 1) / producers + kBlock;
    std::vector<void*> items(share, this);
    for (const auto& side : sides_) {
      queue_.enqueue_bulk(side->producer, items.data(), items.size());
      while (queue_.try_dequeue_bulk(sides_[0]->consumer, items.data(), items.size()) != 0) {
      }
    }
  }

  std::size_t push(unsigned producer, void* const* items, std::size_t count) noexcept {
    std::size_t stored = 0;
    for (std::size_t some = count; some != 0;) {
      if (queue_.try_enqueue_bulk(sides_[producer]->producer, items + stored, some)) {
        stored += some;
        if (some == count) break;
      }
      some = std::min(some / 2, count - stored);
    }
    return stored;
  }
  std::size_t pop(unsigned consumer, void** items, std::size_t count) noexcept {
    return queue_.try_dequeue_bulk(sides_[consumer]->consumer, items, count);
  }

 private:
  using Queue = moodycamel::ConcurrentQueue<void*>;
  static constexpr std::size_t kBlock = Queue::BLOCK_SIZE;

  struct alignas(kCacheLine) Side {
    explicit Side(Queue& queue) : producer{queue}, consumer{queue} {}
    moodycamel::ProducerToken producer;
    moodycamel::ConsumerToken consumer;
  };

  Queue queue_;
  std::vector<std::unique_ptr<Side>> sides_;
};

}  // namespace

void add_moodycamel(Registry& registry) {
  add_ring<MoodycamelQueue>(registry);
}

}  // namespace qdiscsim::ring_bench
