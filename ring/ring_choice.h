// RingChoice: which ring, as plain values. What each one is: ring/any_ring.h and the headers that
// it names.
#pragma once

#include <cstdint>

namespace qdiscsim {

enum class RingKind : std::uint8_t { kPtrRing, kMpsc, kLanes, kRte };
// PtrRing's producer lock, and when its consumer gives slots back. One of them may differ from the
// default.
enum class RingLock : std::uint8_t { kTestAndSet, kTicket, kMcs, kYielding };
enum class RingClear : std::uint8_t {
  kZeroEach,
  kZeroBatch,
  kClearAfterHead,
  kClearAfterHeadBarriers,
  kFlushOnEmpty,
};
// How RteRing keeps its producers apart.
enum class RingSync : std::uint8_t { kMultiThread, kRelaxedTail, kHeadTail };

struct RingChoice {
  RingKind kind = RingKind::kPtrRing;
  RingLock lock = RingLock::kTestAndSet;
  RingClear clear = RingClear::kZeroBatch;
  RingSync sync = RingSync::kRelaxedTail;

  bool operator==(const RingChoice&) const = default;
};

}  // namespace qdiscsim
