// RteSlots: the array of an RteRing and its copy loops. A power of two of slots; a position is
// free-running and its slot is position & mask.
//
// The slots are plain data. Whoever reads or writes some has reserved them, and the tails of the
// ring carry the order, so there is no race, and the copies compile to vector instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/cacheline.h"

namespace qdiscsim {

inline constexpr std::uint64_t kRteMaxSlots = std::uint64_t{1} << 31U;

// Slots of a ring of this size: the size itself, which leaves one unusable, or with exact as many
// as make all of size usable. Throws std::invalid_argument when that is no power of two, and
// std::length_error when it is over kRteMaxSlots.
inline std::uint64_t rte_slot_count(std::uint64_t size, bool exact) {
  if (size > kRteMaxSlots - (exact ? 1 : 0)) throw std::length_error("RteRing: over 2^31 slots");
  if (exact) return std::bit_ceil(size + 1);
  if (!std::has_single_bit(size))
    throw std::invalid_argument("RteRing: size is no power of two (use exact)");
  return size;
}

template <class Smp>
class RteSlots {
 public:
  using Slot = typename Smp::template var<void*>;
  using Array = std::unique_ptr<Slot[]>;

  // count: a power of two, at most 2^31.
  static constexpr std::uint64_t array_length(std::uint64_t count) noexcept {
    return count + kPerLine - 1;
  }

  RteSlots() = default;
  // array: array_length(count) slots.
  RteSlots(Array array, std::uint32_t count) noexcept
      : array_{std::move(array)}, base_{first_on_a_line(array_.get())}, mask_{count - 1} {}

  std::uint64_t count() const noexcept { return std::uint64_t{mask_} + 1; }

  Slot& at(std::uint32_t position) const noexcept { return base_[position & mask_]; }

  template <class T>
  void write(std::uint32_t position, T* const* from, std::uint32_t n) const noexcept {
    const std::uint32_t index = position & mask_;
    if (n <= to_end(index)) [[likely]] {
      copy_in(base_ + index, from, n);
    } else {
      write_around(index, from, n);
    }
  }

  template <class T>
  void read(std::uint32_t position, T** to, std::uint32_t n) const noexcept {
    const std::uint32_t index = position & mask_;
    if (n <= to_end(index)) [[likely]] {
      copy_out(base_ + index, to, n);
    } else {
      read_around(index, to, n);
    }
  }

  // n slots from position; the second span begins at the start of the array, and is empty when the
  // first has room for all.
  std::pair<std::span<Slot>, std::span<Slot>> spans(std::uint32_t position,
                                                    std::uint32_t n) const noexcept {
    const std::uint32_t index = position & mask_;
    const std::uint32_t first = std::min(n, to_end(index));
    return {{base_ + index, first}, {base_, n - first}};
  }

 private:
  static constexpr std::size_t kPerLine = kCacheLine / sizeof(Slot) > 0 ? kCacheLine / sizeof(Slot)
                                                                        : 1;

  static Slot* first_on_a_line(Slot* array) noexcept {
    const auto address = std::bit_cast<std::uintptr_t>(array);
    const std::uintptr_t past = address % kCacheLine;
    return past == 0 ? array : array + (kCacheLine - past) / sizeof(Slot);
  }

  // Slots from index to the end of the array, index included.
  std::uint32_t to_end(std::uint32_t index) const noexcept { return mask_ - index + 1; }

  // Once a lap; out of line, so that the usual case needs few registers.
  template <class T>
  [[gnu::noinline]] void write_around(std::uint32_t index, T* const* from,
                                      std::uint32_t n) const noexcept {
    const std::uint32_t first = to_end(index);
    copy_in(base_ + index, from, first);
    copy_in(base_, from + first, n - first);
  }
  template <class T>
  [[gnu::noinline]] void read_around(std::uint32_t index, T** to, std::uint32_t n) const noexcept {
    const std::uint32_t first = to_end(index);
    copy_out(base_ + index, to, first);
    copy_out(base_, to + first, n - first);
  }

  // Four at a time, all read before the first is written: the compiler need not know that the two
  // arrays do not overlap. No loop for the rest: it would become a call of memcpy.
  template <class T>
  static void copy_in(Slot* to, T* const* from, std::size_t n) noexcept {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      void* const a = from[i];
      void* const b = from[i + 1];
      void* const c = from[i + 2];
      void* const d = from[i + 3];
      to[i].set(a);
      to[i + 1].set(b);
      to[i + 2].set(c);
      to[i + 3].set(d);
    }
    if ((n & 2U) != 0) {
      to[i].set(from[i]);
      to[i + 1].set(from[i + 1]);
      i += 2;
    }
    if ((n & 1U) != 0) to[i].set(from[i]);
  }

  template <class T>
  static void copy_out(const Slot* from, T** to, std::size_t n) noexcept {
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
      void* const a = from[i].get();
      void* const b = from[i + 1].get();
      void* const c = from[i + 2].get();
      void* const d = from[i + 3].get();
      to[i] = static_cast<T*>(a);
      to[i + 1] = static_cast<T*>(b);
      to[i + 2] = static_cast<T*>(c);
      to[i + 3] = static_cast<T*>(d);
    }
    if ((n & 2U) != 0) {
      to[i] = static_cast<T*>(from[i].get());
      to[i + 1] = static_cast<T*>(from[i + 1].get());
      i += 2;
    }
    if ((n & 1U) != 0) to[i] = static_cast<T*>(from[i].get());
  }

  Array array_;
  Slot* base_ = nullptr;
  std::uint32_t mask_ = 0;
};

}  // namespace qdiscsim
