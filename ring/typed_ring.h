// TypedRing<T, Ring>: a ring of void* seen as a ring of T*, in one shape for all rings of the
// house: producers give their number, which most rings do not need. Adds no state and no cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "ring/ring_choice.h"

namespace qdiscsim {

template <class T, class Ring>
class TypedRing {
 public:
  // producers: numbers below it will be given; choice: for a ring that is chosen at run time.
  explicit TypedRing(std::size_t size, std::uint32_t producers = 1, const RingChoice& choice = {})
      : ring_(make(size, producers, choice)) {}

  std::size_t size() const noexcept { return ring_.size(); }
  bool produce(T* entry, std::uint32_t producer = 0) noexcept {
    if constexpr (kByProducer) {
      return ring_.produce(entry, producer);
    } else {
      return ring_.produce(entry);
    }
  }
  bool produce_unlocked(T* entry) noexcept { return ring_.produce_unlocked(entry); }
  std::size_t produce_batched(std::span<T* const> entries, std::uint32_t producer = 0) noexcept {
    if constexpr (kByProducer) {
      return ring_.produce_batched(entries, producer);
    } else {
      return ring_.produce_batched(entries);
    }
  }
  T* consume() noexcept { return static_cast<T*>(ring_.consume()); }
  T* consume_unlocked() noexcept { return static_cast<T*>(ring_.consume_unlocked()); }
  T* peek_unlocked() const noexcept { return static_cast<T*>(ring_.peek_unlocked()); }
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    return ring_.consume_batched_unlocked(out);
  }
  bool looks_empty() const noexcept { return ring_.looks_empty(); }
  // The consumer, who found nothing: whether entries of producers that have returned may be in
  // there all the same, behind one that is in the middle of its call. Never with a ring whose
  // producers publish in order before they return.
  bool pending() const noexcept {
    if constexpr (requires { ring_.pending(); }) {
      return ring_.pending();
    } else {
      return false;
    }
  }

  std::size_t count_at_rest() const noexcept { return ring_.count_at_rest(); }

  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    ring_.cleanup([&](void* entry) { destroy(static_cast<T*>(entry)); });
  }

  Ring& untyped_ring() noexcept { return ring_; }

 private:
  static constexpr bool kByProducer = requires { Ring::kByProducer; };

  static Ring make(std::size_t size, std::uint32_t producers, const RingChoice& choice) {
    if constexpr (std::is_constructible_v<Ring, std::size_t, std::uint32_t, const RingChoice&>) {
      return Ring(size, producers, choice);
    } else if constexpr (kByProducer) {
      return Ring(size, producers);
    } else {
      return Ring(size);
    }
  }

  Ring ring_;
};

}  // namespace qdiscsim
