// What ring_bench needs of a ring under test. An adapter is a class with
//
//   static constexpr std::string_view kName, kAbout;
//   static constexpr bool kManyProducers;     // false: spsc only
//   static constexpr bool kManyConsumers;     // true: `stress` runs it too
//   static constexpr bool kOrdered;           // FIFO per producer, which the workloads then check
//   Adapter(std::size_t capacity, unsigned producers);
//   // Stores the first items that fit and returns how many; producer: 0..producers-1, one thread
//   // each. Never waits for room.
//   std::size_t push(unsigned producer, void* const* items, std::size_t count) noexcept;
//   // Takes up to count items; null never comes. consumer: as producer, 0 with one consumer.
//   std::size_t pop(unsigned consumer, void** items, std::size_t count) noexcept;
//
// Items are non-null values in a void*, never followed.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

namespace qdiscsim::ring_bench {

template <class T>
concept RingAdapter = std::constructible_from<T, std::size_t, unsigned> &&
    requires(T& ring, void* const* in, void** out, unsigned who, std::size_t n) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kAbout } -> std::convertible_to<std::string_view>;
  { T::kManyProducers } -> std::convertible_to<bool>;
  { T::kManyConsumers } -> std::convertible_to<bool>;
  { T::kOrdered } -> std::convertible_to<bool>;
  { ring.push(who, in, n) }
  noexcept->std::same_as<std::size_t>;
  { ring.pop(who, out, n) }
  noexcept->std::same_as<std::size_t>;
};

}  // namespace qdiscsim::ring_bench
