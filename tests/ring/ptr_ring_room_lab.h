// A PtrRing of one entry over and over: how many it takes is all that counts.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/ring/ptr_ring_types.h"

namespace qdiscsim::test {

inline int an_entry = 0;

// Those that clear in batches, as the kernel's ptr_ring does.
using Batching = testing::Types<ZeroBatch, ClearAfterHead, ClearAfterHeadBarriers,
                                FlushOnEmpty<ZeroBatch>, FlushOnEmpty<ClearAfterHeadBarriers>>;

template <class Clear>
class PtrRingRoom : public testing::Test {
 protected:
  using Ring = PtrRing<smp::Native, TestAndSetLock<smp::Native>, Clear>;

  // Produces until the ring refuses; returns how many it took.
  static std::size_t offer(Ring& ring) {
    std::size_t taken = 0;
    while (ring.produce(&an_entry)) ++taken;
    return taken;
  }
  static void take(Ring& ring, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(ring.consume(), &an_entry);
  }
};

}  // namespace qdiscsim::test
