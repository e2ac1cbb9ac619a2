// AnyRing: a ring of the house that is chosen at run time, as a configuration does. Each call costs
// one branch through a table more than the ring itself; whoever compares rings instantiates them
// directly.
//
// Threads, errors and order are those of the ring chosen. Constructor: std::bad_alloc, and
// std::length_error for a size that the ring does not offer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ring/lane_ring.h"
#include "ring/mcs_lock.h"
#include "ring/mpsc_ring.h"
#include "ring/ptr_ring.h"
#include "ring/ring_choice.h"
#include "ring/rte_band_ring.h"

namespace qdiscsim {

template <class Smp>
class AnyRing {
 public:
  static constexpr bool kByProducer = true;

  AnyRing(std::size_t size, std::uint32_t producers, const RingChoice& choice)
      : ring_{make(size, producers, choice)} {}
  AnyRing(const AnyRing&) = delete;
  AnyRing& operator=(const AnyRing&) = delete;

  std::size_t size() const noexcept {
    return visit([](auto& ring) { return ring.size(); });
  }

  bool produce(void* entry, std::uint32_t producer) noexcept {
    return visit([&](auto& ring) {
      if constexpr (by_producer<decltype(ring)>) {
        return ring.produce(entry, producer);
      } else {
        return ring.produce(entry);
      }
    });
  }
  template <class T>
  std::size_t produce_batched(std::span<T* const> entries, std::uint32_t producer) noexcept {
    return visit([&](auto& ring) {
      if constexpr (by_producer<decltype(ring)>) {
        return ring.produce_batched(entries, producer);
      } else {
        return ring.produce_batched(entries);
      }
    });
  }

  void* peek_unlocked() const noexcept {
    return visit([](auto& ring) { return ring.peek_unlocked(); });
  }
  void* consume_unlocked() noexcept {
    return visit([](auto& ring) { return ring.consume_unlocked(); });
  }
  void* consume() noexcept {
    return visit([](auto& ring) { return ring.consume(); });
  }
  template <class T>
  std::size_t consume_batched_unlocked(std::span<T*> out) noexcept {
    return visit([&](auto& ring) { return ring.consume_batched_unlocked(out); });
  }
  bool looks_empty() const noexcept {
    return visit([](auto& ring) { return ring.looks_empty(); });
  }
  bool pending() const noexcept {
    return visit([](auto& ring) {
      if constexpr (requires { ring.pending(); }) {
        return ring.pending();
      } else {
        return false;
      }
    });
  }
  std::size_t count_at_rest() const noexcept {
    return visit([](auto& ring) { return ring.count_at_rest(); });
  }
  template <class Destroy>
  void cleanup(Destroy&& destroy) noexcept {
    visit([&](auto& ring) { ring.cleanup(destroy); });
  }

  // All rings are of the same choice.
  template <class Destroy>
  static bool resize_multiple(std::span<AnyRing* const> rings, std::size_t new_size,
                              Destroy&& destroy) {
    return rings.front()->visit([&](const auto& first) {
      using Ring = std::remove_cvref_t<decltype(first)>;
      std::vector<Ring*> chosen;
      for (AnyRing* ring : rings) chosen.push_back(&std::get<Ring>(ring->ring_));
      return Ring::resize_multiple(std::span<Ring* const>{chosen}, new_size, destroy);
    });
  }

 private:
  template <class Lock, class Clear = ZeroBatch>
  using Ptr = PtrRing<Smp, Lock, Clear>;
  using TestAndSet = TestAndSetLock<Smp>;
  using Chosen =
      std::variant<Ptr<TestAndSet>, Ptr<TestAndSet, ZeroEach>, Ptr<TestAndSet, ClearAfterHead>,
                   Ptr<TestAndSet, ClearAfterHeadBarriers>,
                   Ptr<TestAndSet, FlushOnEmpty<ZeroBatch>>, Ptr<TicketLock<Smp>>,
                   Ptr<McsLock<Smp>>, Ptr<YieldingLock<Smp>>, MpscRing<Smp>, LaneRing<Smp>,
                   RteBandRing<Smp, MultiThread>, RteBandRing<Smp, RelaxedTailSync>,
                   RteBandRing<Smp, HeadTailSync>>;

  template <class Ring>
  static constexpr bool by_producer = requires {
    std::remove_cvref_t<Ring>::kByProducer;
  };

  template <class Ring, class... Arguments>
  static Chosen make_as(Arguments... arguments) {
    return Chosen{std::in_place_type<Ring>, arguments...};
  }
  static Chosen make(std::size_t size, std::uint32_t producers, const RingChoice& choice) {
    switch (choice.kind) {
      case RingKind::kPtrRing:
        return make_ptr_ring(size, choice);
      case RingKind::kMpsc:
        return make_as<MpscRing<Smp>>(size);
      case RingKind::kLanes:
        return make_as<LaneRing<Smp>>(size, producers);
      case RingKind::kRte:
        break;
    }
    switch (choice.sync) {
      case RingSync::kMultiThread:
        return make_as<RteBandRing<Smp, MultiThread>>(size);
      case RingSync::kHeadTail:
        return make_as<RteBandRing<Smp, HeadTailSync>>(size);
      case RingSync::kRelaxedTail:
        break;
    }
    return make_as<RteBandRing<Smp, RelaxedTailSync>>(size);
  }
  static Chosen make_ptr_ring(std::size_t size, const RingChoice& choice) {
    switch (choice.lock) {
      case RingLock::kTicket:
        return make_as<Ptr<TicketLock<Smp>>>(size);
      case RingLock::kMcs:
        return make_as<Ptr<McsLock<Smp>>>(size);
      case RingLock::kYielding:
        return make_as<Ptr<YieldingLock<Smp>>>(size);
      case RingLock::kTestAndSet:
        break;
    }
    switch (choice.clear) {
      case RingClear::kZeroEach:
        return make_as<Ptr<TestAndSet, ZeroEach>>(size);
      case RingClear::kClearAfterHead:
        return make_as<Ptr<TestAndSet, ClearAfterHead>>(size);
      case RingClear::kClearAfterHeadBarriers:
        return make_as<Ptr<TestAndSet, ClearAfterHeadBarriers>>(size);
      case RingClear::kFlushOnEmpty:
        return make_as<Ptr<TestAndSet, FlushOnEmpty<ZeroBatch>>>(size);
      case RingClear::kZeroBatch:
        break;
    }
    return make_as<Ptr<TestAndSet>>(size);
  }

  // std::visit may throw for a variant without a value, which this one never is.
  template <class Call>
  decltype(auto) visit(Call&& call) noexcept {
    return std::visit(call, ring_);
  }
  template <class Call>
  decltype(auto) visit(Call&& call) const noexcept {
    return std::visit(call, ring_);
  }

  Chosen ring_;
};

}  // namespace qdiscsim
