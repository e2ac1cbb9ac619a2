// A pfifo_fast of ptr_rings by itself, and packets for it.
#pragma once

#include <gtest/gtest.h>

#include <deque>

#include "base/smp_native.h"
#include "qdisc/pfifo_fast.h"
#include "ring/ptr_ring.h"

namespace qdiscsim::test {

using Fifo = PfifoFast<smp::NativeManual, PtrRing<smp::NativeManual>>;

// Priorities that lead to the bands.
inline constexpr std::uint32_t kBand0 = 6;
inline constexpr std::uint32_t kBand1 = 0;
inline constexpr std::uint32_t kBand2 = 2;

inline const auto kNothingLost = [](const Fifo::Packet* /*skb*/) {
  ADD_FAILURE() << "an empty ring lost a packet";
};

class FifoLab : public testing::Test {
 protected:
  using Packet = Fifo::Packet;

  Packet* make(std::uint32_t priority, std::uint32_t len = 60) {
    Packet& skb = packets_.emplace_back();
    skb.priority = priority;
    skb.len = len;
    return &skb;
  }
  // How many of count the band took.
  int fill(Fifo& fifo, int count, std::uint32_t priority) {
    int taken = 0;
    for (int i = 0; i < count; ++i) taken += fifo.enqueue(make(priority), 0) ? 1 : 0;
    return taken;
  }

 private:
  std::deque<Packet> packets_;
};

}  // namespace qdiscsim::test
