// LapSlots: the slots of a ring in which an entry says by itself that it is there, and which nobody
// has to clear. An entry carries one bit more, the parity of its lap around the ring; a slot that
// still has the parity of the lap before is not filled yet. So the consumer only reads, and a line
// of slots crosses over once a lap in each direction.
//
// Entries are not null and below 2^63, as every pointer of user space is. Who may fill or look at a
// place is the ring's business, and that a place is read before it is filled again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"
#include "base/smp.h"

namespace qdiscsim {

struct LapSlotsOrders {
  // The entry's content before the entry.
  static constexpr smp::order publish = smp::release;  // partner: observe
  static constexpr smp::order observe = smp::acquire;  // partner: publish
};

template <class Smp, class Orders = LapSlotsOrders>
class LapSlots {
 public:
  using Slot = typename Smp::template atomic<std::uintptr_t>;
  using Position = std::uint64_t;  // free running; a place is a position modulo count

  static constexpr std::size_t kPerLine = kCacheLine / sizeof(Slot);

  // count: a power of two. Nobody else is near; `start` is the first position that will be filled,
  // the others follow it.
  void adopt(Slot* slots, std::size_t count, Position start) noexcept {
    slots_ = slots;
    mask_ = count - 1;
    shift_ = 63U - static_cast<unsigned>(std::countr_zero(count));
    for (Position at = start; at != start + count; ++at) {
      slots_[at & mask_].store(parity(at) ^ kParity, smp::relaxed);
    }
  }

  std::size_t count() const noexcept { return mask_ + 1; }

  void fill(Position position, void* entry) noexcept {
    slots_[position & mask_].store(reinterpret_cast<std::uintptr_t>(entry) | parity(position),
                                   Orders::publish);
  }

  // Null: not filled.
  void* at(Position position) const noexcept {
    const std::uintptr_t value = slots_[position & mask_].load(Orders::observe) ^ parity(position);
    return (value & kParity) == 0 ? reinterpret_cast<void*>(value) : nullptr;
  }

  // The place will be filled soon, by the caller.
  void prefetch(Position position) const noexcept {
    Smp::prefetch(&slots_[position & mask_], smp::Access::kWrite);
  }

 private:
  static constexpr std::uintptr_t kParity = ~(~std::uintptr_t{0} >> 1);

  // Even laps have the bit.
  std::uintptr_t parity(Position position) const noexcept {
    return (~static_cast<std::uintptr_t>(position) << shift_) & kParity;
  }

  Slot* slots_ = nullptr;
  std::size_t mask_ = 0;
  unsigned shift_ = 63;  // brings the lowest bit of the lap's number to the top
};

}  // namespace qdiscsim
