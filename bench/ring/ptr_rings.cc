// PtrRing under test: its generations (ring/clear_policy.h), and the lock that its producers share.
//
//   zero_each ... flush_on_empty  the generations. Alone on both sides (simple, spsc, ringtest)
//                                 they take no lock at all, as the published selftest of the
//                                 proposal; with many producers the test-and-set lock, in `stress`
//                                 on both sides
//   locked, locked_ticket, ...    ZeroBatch under a producer lock in every mode, to see its price
//   locked_batched                locked, with one lock round for a burst
//
// All but locked_batched produce as the kernel's callers must: one call, and one lock round, for
// each item of a burst. There is a call that consumes several.
#include <span>

#include "base/smp_native.h"
#include "bench/ring/workloads.h"
#include "ring/clear_policy.h"
#include "ring/mcs_lock.h"
#include "ring/ptr_ring.h"
#include "ring/spin_lock.h"

namespace qdiscsim::ring_bench {
namespace {

using Smp = smp::Native;

// What the sides of the ring are to this variant.
enum class Sides : std::uint8_t { kSingle, kManyProducers, kShared };

// How a burst goes in.
enum class Produce : std::uint8_t { kEach, kBatch };

template <class Label, class Lock, class Clear, Sides kSides, Produce kProduce = Produce::kEach>
class PtrRingAdapter {
 public:
  static constexpr std::string_view kName = Label::kName;
  static constexpr std::string_view kAbout = Label::kAbout;
  static constexpr bool kManyProducers = kSides != Sides::kSingle;
  static constexpr bool kManyConsumers = kSides == Sides::kShared;
  static constexpr bool kOrdered = true;

  PtrRingAdapter(std::size_t capacity, unsigned /*producers*/) : ring_{capacity} {}

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    if constexpr (kProduce == Produce::kBatch) {
      return ring_.produce_batched(std::span<void* const>{items, count});
    } else {
      std::size_t stored = 0;
      while (stored < count && ring_.produce(items[stored])) ++stored;
      return stored;
    }
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    if constexpr (kManyConsumers) {
      return ring_.consume_batched(std::span<void*>{items, count});
    } else if (count == 1) {
      items[0] = ring_.consume_unlocked();
      return items[0] != nullptr ? 1 : 0;
    } else {
      return ring_.consume_batched_unlocked(std::span<void*>{items, count});
    }
  }

 private:
  PtrRing<Smp, Lock, Clear> ring_;
};

struct ZeroEachLabel {
  static constexpr const char* kName = "zero_each";
  static constexpr const char* kAbout = "ptr_ring that clears a slot as it is consumed (2016)";
};
struct ZeroBatchLabel {
  static constexpr const char* kName = "zero_batch";
  static constexpr const char* kAbout = "ptr_ring that clears two cache lines at a time (mainline)";
};
struct ClearAfterHeadLabel {
  static constexpr const char* kName = "clear_after_head";
  static constexpr const char* kAbout = "ptr_ring that moves the head before it clears (2021)";
};
struct ClearAfterHeadBarriersLabel {
  static constexpr const char* kName = "clear_after_head_barriers";
  static constexpr const char* kAbout = "the same, with a lock-free test for empty that holds";
};
struct FlushOnEmptyLabel {
  static constexpr const char* kName = "flush_on_empty";
  static constexpr const char* kAbout = "zero_batch that clears the rest when it finds nothing";
};
struct LockedLabel {
  static constexpr const char* kName = "locked";
  static constexpr const char* kAbout = "ptr_ring, producers behind a test-and-set lock";
};
struct LockedBatchedLabel {
  static constexpr const char* kName = "locked_batched";
  static constexpr const char* kAbout =
      "one lock round for a burst, which the kernel does not offer";
};
struct LockedTicketLabel {
  static constexpr const char* kName = "locked_ticket";
  static constexpr const char* kAbout = "ptr_ring, producers behind a ticket lock";
};
struct LockedMcsLabel {
  static constexpr const char* kName = "locked_mcs";
  static constexpr const char* kAbout = "ptr_ring, producers behind an MCS lock";
};
struct LockedYieldLabel {
  static constexpr const char* kName = "locked_yield";
  static constexpr const char* kAbout = "ptr_ring, producers behind a lock that yields at once";
};

template <class Label, class Clear>
void add_generation(Registry& registry) {
  using Lock = TestAndSetLock<Smp>;
  add_pairwise<PtrRingAdapter<Label, NoLock<Smp>, Clear, Sides::kSingle>>(registry);
  add_mpsc<PtrRingAdapter<Label, Lock, Clear, Sides::kManyProducers>>(registry);
  add_stress<PtrRingAdapter<Label, Lock, Clear, Sides::kShared>>(registry);
}

template <class Label, class Lock, Produce kProduce = Produce::kEach>
void add_locked(Registry& registry) {
  add_ring<PtrRingAdapter<Label, Lock, ZeroBatch, Sides::kManyProducers, kProduce>>(registry);
  add_stress<PtrRingAdapter<Label, Lock, ZeroBatch, Sides::kShared, kProduce>>(registry);
}

}  // namespace

void add_ptr_rings(Registry& registry) {
  add_locked<LockedLabel, TestAndSetLock<Smp>>(registry);
  add_generation<ZeroEachLabel, ZeroEach>(registry);
  add_generation<ZeroBatchLabel, ZeroBatch>(registry);
  add_generation<ClearAfterHeadLabel, ClearAfterHead>(registry);
  add_generation<ClearAfterHeadBarriersLabel, ClearAfterHeadBarriers>(registry);
  add_generation<FlushOnEmptyLabel, FlushOnEmpty<ZeroBatch>>(registry);
  add_locked<LockedBatchedLabel, TestAndSetLock<Smp>, Produce::kBatch>(registry);
  add_locked<LockedTicketLabel, TicketLock<Smp>>(registry);
  add_locked<LockedMcsLabel, McsLock<Smp>>(registry);
  add_locked<LockedYieldLabel, YieldingLock<Smp>>(registry);
}

}  // namespace qdiscsim::ring_bench
