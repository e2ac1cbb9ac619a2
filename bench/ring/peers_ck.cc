// Concurrency Kit's ck_ring: the variety made for the mode (spsc, mpsc, mpmc). It has no calls for
// bursts. Its array is a power of two of which one slot stays free, so 1024 means 1023 items here:
// the array that -s asks for, not twice of it.
#include <stdbool.h>
#include <string.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <type_traits>
#include <vector>

// The header is meant for C++ too, but one of its functions answers a null pointer by the word
// `false`.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define false 0
#include <ck_ring.h>
#undef false

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

namespace qdiscsim::ring_bench {
namespace {

struct Spsc {
  static constexpr std::string_view kAbout = "ck_ring of Concurrency Kit, spsc";
  static bool enqueue(ck_ring_t* ring, ck_ring_buffer_t* buffer, void* item) noexcept {
    return ck_ring_enqueue_spsc(ring, buffer, item);
  }
  static bool dequeue(ck_ring_t* ring, ck_ring_buffer_t* buffer, void* item) noexcept {
    return ck_ring_dequeue_spsc(ring, buffer, item);
  }
};
struct Mpsc {
  static constexpr std::string_view kAbout = "ck_ring of Concurrency Kit, mpsc";
  static bool enqueue(ck_ring_t* ring, ck_ring_buffer_t* buffer, void* item) noexcept {
    return ck_ring_enqueue_mpsc(ring, buffer, item);
  }
  static bool dequeue(ck_ring_t* ring, ck_ring_buffer_t* buffer, void* item) noexcept {
    return ck_ring_dequeue_mpsc(ring, buffer, item);
  }
};
struct Mpmc {
  static constexpr std::string_view kAbout = "ck_ring of Concurrency Kit, mpmc";
  static bool enqueue(ck_ring_t* ring, ck_ring_buffer_t* buffer, void* item) noexcept {
    return ck_ring_enqueue_mpmc(ring, buffer, item);
  }
  static bool dequeue(ck_ring_t* ring, ck_ring_buffer_t* buffer, void* item) noexcept {
    return ck_ring_dequeue_mpmc(ring, buffer, item);
  }
};

template <class Variety>
class CkRing {
 public:
  static constexpr std::string_view kName = "ck";
  static constexpr std::string_view kAbout = Variety::kAbout;
  static constexpr bool kManyProducers = !std::is_same_v<Variety, Spsc>;
  static constexpr bool kManyConsumers = std::is_same_v<Variety, Mpmc>;
  static constexpr bool kOrdered = true;

  CkRing(std::size_t capacity, unsigned /*producers*/) : buffer_(slots_for(capacity)) {
    ck_ring_init(&ring_, static_cast<unsigned>(buffer_.size()));
  }

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    std::size_t stored = 0;
    while (stored < count && Variety::enqueue(&ring_, buffer_.data(), items[stored])) ++stored;
    return stored;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    std::size_t taken = 0;
    while (taken < count && Variety::dequeue(&ring_, buffer_.data(), &items[taken])) ++taken;
    return taken;
  }

 private:
  static std::size_t slots_for(std::size_t capacity) {
    constexpr std::size_t kMost = std::size_t{1} << 31U;
    if (capacity > kMost) throw std::length_error{"ck_ring holds at most 2147483647"};
    return std::bit_ceil(std::max<std::size_t>(capacity, 2));
  }

  alignas(kCacheLine) ck_ring_t ring_;
  std::vector<ck_ring_buffer_t> buffer_;
};

}  // namespace

void add_concurrency_kit(Registry& registry) {
  add_pairwise<CkRing<Spsc>>(registry);
  add_mpsc<CkRing<Mpsc>>(registry);
  add_stress<CkRing<Mpmc>>(registry);
}

}  // namespace qdiscsim::ring_bench
