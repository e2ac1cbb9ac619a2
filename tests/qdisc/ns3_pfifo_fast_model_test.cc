// pfifo_fast beside ns-3's PfifoFastQueueDisc: another implementation, by others, as the model. The
// same packets in the same order must be taken, dropped and sent alike.
//
// ns-3 counts the packets of all bands against one limit; linux gives each band a ring of its own.
// So ns-3 is set up with three times the limit, and its three internal queues are cut to the limit
// each, which makes the rule the same; the last test shows the rule that ns-3 has otherwise.
// Limits stay below 32: from there on a ptr_ring clears in batches and looks full for longer.
#include <gtest/gtest.h>
#include <ns3/packet.h>
#include <ns3/pfifo-fast-queue-disc.h>
#include <ns3/queue.h>
#include <ns3/socket.h>

#include <array>
#include <deque>
#include <string>

#include "base/prng.h"
#include "base/smp_native.h"
#include "qdisc/pfifo_fast.h"
#include "ring/ptr_ring.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;

constexpr int kNothing = -1;
constexpr std::uint32_t kBytes = 60;

class Item final : public ns3::QueueDiscItem {
 public:
  Item(int item_number, std::uint8_t priority)
      : QueueDiscItem{ns3::Create<ns3::Packet>(kBytes), ns3::Address{}, 0}, number{item_number} {
    ns3::SocketPriorityTag tag;
    tag.SetPriority(priority);
    GetPacket()->ReplacePacketTag(tag);
  }
  void AddHeader() override {}
  bool Mark() override { return false; }

  const int number;
};

class Ns3 {
 public:
  enum Rule { kOneLimit, kLimitPerBand };

  Ns3(std::uint32_t limit, Rule rule) {
    const auto bands = rule == kLimitPerBand ? std::uint32_t{kBandCount} : 1U;
    disc_->SetMaxSize(ns3::QueueSize{ns3::PACKETS, bands * limit});
    disc_->Initialize();
    for (std::size_t i = 0; rule == kLimitPerBand && i < kBandCount; ++i) {
      disc_->GetInternalQueue(i)->SetMaxSize(ns3::QueueSize{ns3::PACKETS, limit});
    }
  }
  ~Ns3() { disc_->Dispose(); }
  Ns3(const Ns3&) = delete;
  Ns3& operator=(const Ns3&) = delete;

  bool enqueue(int number, std::uint8_t priority) {
    return disc_->Enqueue(ns3::Create<Item>(number, priority));
  }
  int dequeue() {
    const ns3::Ptr<ns3::QueueDiscItem> item = disc_->Dequeue();
    return item == nullptr ? kNothing : static_cast<const Item&>(*item).number;
  }
  std::uint64_t drops() { return disc_->GetStats().nTotalDroppedPackets; }
  std::uint64_t sent_bytes() { return disc_->GetStats().nTotalDequeuedBytes; }
  std::uint64_t backlog() { return disc_->GetNPackets(); }

 private:
  ns3::Ptr<ns3::PfifoFastQueueDisc> disc_ = ns3::CreateObject<ns3::PfifoFastQueueDisc>();
};

class Ours {
 public:
  explicit Ours(std::uint32_t limit) : fifo_{limit, 1, 0} {}

  bool enqueue(int number, std::uint8_t priority) {
    Skb<Smp>& skb = packets_.emplace_back();
    skb.priority = priority;
    skb.len = kBytes;
    EXPECT_EQ(static_cast<int>(packets_.size()) - 1, number) << "numbered from 0";
    if (fifo_.enqueue(&skb, 0)) return true;
    fifo_.count_drops(band_of(priority), 1, 0);
    return false;
  }
  int dequeue() {
    const Skb<Smp>* skb = fifo_.dequeue(0);
    if (skb == nullptr) return kNothing;
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      if (&packets_[i] == skb) return static_cast<int>(i);
    }
    return kNothing - 1;
  }
  BandAccount total() const {
    BandAccount sum;
    for (std::size_t band = 0; band < kBandCount; ++band) {
      const BandAccount account = fifo_.account(band);
      sum.dropped_overlimit += account.dropped_overlimit;
      sum.dequeued_bytes += account.dequeued_bytes;
      sum.ring_packets += account.enqueued - account.dequeued;
    }
    return sum;
  }

 private:
  std::deque<Skb<Smp>> packets_;
  PfifoFast<Smp, PtrRing<Smp>> fifo_;
};

void expect_equal_totals(Ours& ours, Ns3& theirs) {
  const BandAccount total = ours.total();
  EXPECT_EQ(total.dropped_overlimit, theirs.drops());
  EXPECT_EQ(total.dequeued_bytes, theirs.sent_bytes());
  EXPECT_EQ(total.ring_packets, theirs.backlog());
}

TEST(Ns3PfifoFast, ServesThePrioritiesInTheSameOrder) {
  Ours ours{16};
  Ns3 theirs{16, Ns3::kLimitPerBand};
  for (int priority = 0; priority < 16; ++priority) {
    EXPECT_TRUE(ours.enqueue(priority, static_cast<std::uint8_t>(priority)));
    EXPECT_TRUE(theirs.enqueue(priority, static_cast<std::uint8_t>(priority)));
  }
  for (int i = 0; i < 17; ++i) {
    const int number = ours.dequeue();
    EXPECT_EQ(theirs.dequeue(), number);
    EXPECT_EQ(number == kNothing, i == 16);
  }
}

TEST(Ns3PfifoFast, TakesDropsAndSendsAlikeWithALimitForEachBand) {
  for (const std::uint64_t seed : test::seeds(20)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng random{seed};
    const std::uint32_t limit = random.between(1, 31);
    Ours ours{limit};
    Ns3 theirs{limit, Ns3::kLimitPerBand};
    int number = 0;
    for (int step = 0; step < 2'000; ++step) {
      // Three phases in turn: the queue fills and overflows, holds, drains.
      const bool enqueues = random.below(100) < std::array{75U, 50U, 25U}[(step / 200) % 3];
      if (enqueues) {
        const auto priority = static_cast<std::uint8_t>(random.below(16));
        ASSERT_EQ(theirs.enqueue(number, priority), ours.enqueue(number, priority))
            << "step " << step << ", packet " << number << ", priority " << int{priority};
        ++number;
      } else {
        ASSERT_EQ(theirs.dequeue(), ours.dequeue()) << "step " << step;
      }
    }
    EXPECT_GT(theirs.drops(), 0U) << "limit " << limit;
    expect_equal_totals(ours, theirs);
  }
}

TEST(Ns3PfifoFast, TakesDropsAndSendsAlikeWhileOneBandIsInUse) {
  constexpr int kLimit = 8;
  Ours ours{kLimit};
  Ns3 theirs{kLimit, Ns3::kOneLimit};
  int number = 0;
  for (const std::uint8_t priority : {std::uint8_t{6}, std::uint8_t{0}, std::uint8_t{2}}) {
    for (int i = 0; i < kLimit + 3; ++i, ++number) {
      EXPECT_EQ(ours.enqueue(number, priority), i < kLimit);
      EXPECT_EQ(theirs.enqueue(number, priority), i < kLimit);
    }
    for (int i = 0; i <= kLimit; ++i) EXPECT_EQ(theirs.dequeue(), ours.dequeue());
  }
  expect_equal_totals(ours, theirs);
}

// The difference: linux has a ring for each band, so one full band never affects another.
TEST(Ns3PfifoFast, LetsAFullBandCloseTheOthersWithItsOwnLimit) {
  Ours ours{4};
  Ns3 theirs{4, Ns3::kOneLimit};
  for (int number = 0; number < 4; ++number) {
    EXPECT_TRUE(ours.enqueue(number, 2));
    EXPECT_TRUE(theirs.enqueue(number, 2));
  }
  EXPECT_TRUE(ours.enqueue(4, 6)) << "the first band is empty";
  EXPECT_FALSE(theirs.enqueue(4, 6)) << "four wait in all, though of the last band";
  EXPECT_EQ(ours.dequeue(), 4);
  EXPECT_EQ(theirs.dequeue(), 0);
}

}  // namespace
}  // namespace qdiscsim
