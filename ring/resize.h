// Several rings get a new size as one transaction: every array is allocated before the first ring
// changes. Control thread, with everybody at rest. Source: ptr_ring_resize_multiple of the kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace qdiscsim {

// Returns null when memory is short; tests hand in one that fails on purpose. count: slots, 1 or
// more.
template <class Slot>
using SlotAllocator = std::unique_ptr<Slot[]> (*)(std::size_t count);

template <class Slot>
std::unique_ptr<Slot[]> allocate_slots(std::size_t count) {
  return std::unique_ptr<Slot[]>{new (std::nothrow) Slot[count]{}};
}

// The most entries that a ring may be made for.
inline constexpr std::size_t kMaxRingSize = std::size_t{1} << 31;

// Throws std::length_error above kMaxRingSize.
inline std::size_t checked_ring_size(std::size_t size) {
  if (size > kMaxRingSize) {
    throw std::length_error("ring: size " + std::to_string(size) + " is above " +
                            std::to_string(kMaxRingSize));
  }
  return size;
}

// Ring offers Slot, slots_for(size) and replace_slots(size, array, destroy). False: memory is
// short, or new_size above kMaxRingSize, and nothing has changed.
template <class Ring, class Destroy>
bool resize_all(std::span<Ring* const> rings, std::size_t new_size, Destroy& destroy,
                SlotAllocator<typename Ring::Slot> allocate) {
  if (new_size > kMaxRingSize) return false;
  using Array = std::unique_ptr<typename Ring::Slot[]>;
  const std::unique_ptr<Array[]> arrays{new (std::nothrow) Array[rings.size()]};
  if (arrays == nullptr) return false;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    arrays[i] = allocate(rings[i]->slots_for(new_size));
    if (arrays[i] == nullptr) return false;
  }
  for (std::size_t i = 0; i < rings.size(); ++i) {
    rings[i]->replace_slots(new_size, std::move(arrays[i]), destroy);
  }
  return true;
}

}  // namespace qdiscsim
