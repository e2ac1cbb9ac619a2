// moodycamel::ConcurrentQueue: a queue of its own for each producer, visited in turn by the
// consumer; order is kept per producer. Used with its tokens and its calls for bulk.
//
// It is unbounded by nature. Here each producer gets blocks of 32 items before the run, and
// try_enqueue_bulk, which never allocates, is refused when they are full. Two ways to read -s:
//   moodycamel       the capacity in all, shared out among the producers, as with the other rings
//   moodycamel_each  the capacity for each producer: more memory, and fewer waits the more
//                    producers there are
// Both hold up to 64 items a producer more, since only whole blocks are used again.
#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

// g++ follows a token without a producer, which there is none of, into the queue's own code.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

namespace qdiscsim::ring_bench {
namespace {

struct InAll {
  static constexpr bool kStress = false;  // one worker may be handed more than its share
  static constexpr std::string_view kName = "moodycamel";
  static constexpr std::string_view kAbout = "moodycamel::ConcurrentQueue, tokens and bulk calls";
  static std::size_t share(std::size_t capacity, unsigned producers) noexcept {
    return (capacity + producers - 1) / producers;
  }
};
struct Each {
  static constexpr bool kStress = true;
  static constexpr std::string_view kName = "moodycamel_each";
  static constexpr std::string_view kAbout = "the same, with the capacity for each producer";
  static std::size_t share(std::size_t capacity, unsigned /*producers*/) noexcept {
    return capacity;
  }
};

template <class Bound>
class MoodycamelQueue {
 public:
  static constexpr std::string_view kName = Bound::kName;
  static constexpr std::string_view kAbout = Bound::kAbout;
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = Bound::kStress;
  static constexpr bool kOrdered = true;

  MoodycamelQueue(std::size_t capacity, unsigned producers) : queue_{0} {
    sides_.reserve(producers);
    for (unsigned i = 0; i < producers; ++i) sides_.push_back(std::make_unique<Side>(queue_));
    // A producer keeps the blocks that it has once filled.
    const std::size_t share = Bound::share(capacity, producers) + kBlock;
    std::vector<void*> items(share, this);
    for (const auto& side : sides_) {
      queue_.enqueue_bulk(side->producer, items.data(), items.size());
      while (queue_.try_dequeue_bulk(sides_[0]->consumer, items.data(), items.size()) != 0) {
      }
    }
  }

  std::size_t push(unsigned producer, void* const* items, std::size_t count) noexcept {
    const moodycamel::ProducerToken& token = sides_[producer]->producer;
    // A bulk goes in whole or not at all.
    if (queue_.try_enqueue_bulk(token, items, count)) return count;
    if (count <= kBlock) return 0;
    std::size_t stored = 0;
    while (stored < count) {
      const std::size_t some = std::min(kBlock, count - stored);
      if (!queue_.try_enqueue_bulk(token, items + stored, some)) break;
      stored += some;
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
  add_ring<MoodycamelQueue<InAll>>(registry);
  add_ring<MoodycamelQueue<Each>>(registry);
}

}  // namespace qdiscsim::ring_bench
