// TypedRing<T, Ring>: a ring of void* seen as a ring of T*. Adds no state and no cost.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace qdiscsim {

template <class T, class Ring>
class TypedRing {
 public:
  explicit TypedRing(std::size_t size) : ring_{size} {}

  std::size_t size() const noexcept { return ring_.size(); }
  bool produce(T* entry) noexcept { return ring_.produce(entry); }
  bool produce_unlocked(T* entry) noexcept { return ring_.produce_unlocked(entry); }
  std::size_t produce_batched(std::span<T* const> entries) noexcept {
    return ring_.produce_batched(entries);
  }
  T* consume() noexcept { return static_cast<T*>(ring_.consume()); }
  T* consume_unlocked() noexcept { return static_cast<T*>(ring_.consume_unlocked()); }
  T* peek_unlocked() const noexcept { return static_cast<T*>(ring_.peek_unlocked()); }
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    return ring_.consume_batched_unlocked(out);
  }
  bool looks_empty() const noexcept { return ring_.looks_empty(); }

  std::size_t count_at_rest() const noexcept { return ring_.count_at_rest(); }

  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    ring_.cleanup([&](void* entry) { destroy(static_cast<T*>(entry)); });
  }

  Ring& untyped_ring() noexcept { return ring_; }

 private:
  Ring ring_;
};

}  // namespace qdiscsim
