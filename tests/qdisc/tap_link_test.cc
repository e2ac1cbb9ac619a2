// A driver that writes frames: what is written, what is counted, what becomes of the refused.
#include "qdisc/tap_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>

#include "base/prng.h"
#include "tests/base/seed.h"
#include "tests/qdisc/tap_lab.h"

namespace qdiscsim {
namespace {

using test::TapLab;
using testing::ElementsAre;
using testing::IsEmpty;

int every_third(std::span<const std::byte> frame) {
  return TapLab::number_of(frame) % 3 == 2 ? ENOBUFS : 0;
}

TEST(TapLink, WritesEveryByteOfEachPacketInOrder) {
  TapLab lab;
  std::vector<TapLab::Packet*> packets;
  for (const std::uint32_t len : {60U, 3500U, 61U}) packets.push_back(lab.make(len));
  for (TapLab::Packet* skb : packets) EXPECT_EQ(lab.send(skb), Verdict::kOk);
  ASSERT_EQ(lab.writer->frames[0].size(), packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const std::span bytes{packets[i]->data, packets[i]->len};
    EXPECT_TRUE(std::ranges::equal(lab.writer->frames[0][i], bytes));
  }
  EXPECT_EQ(lab.account().tx_packets, 3U);
  EXPECT_EQ(lab.account().tx_bytes, 3621U);
  EXPECT_EQ(broken_law(lab.account()), "");
  EXPECT_EQ(lab.sink.home, packets);
}

TEST(TapLink, NeedsNoLockNoPollAndNeverStops) {
  TapLab lab;
  lab.writer->refuse = [](auto) { return EAGAIN; };
  for (int i = 0; i < 100; ++i) lab.send(lab.make());
  EXPECT_TRUE(lab.link->lockless_transmit());
  EXPECT_FALSE(lab.device->needs_poll());
  EXPECT_EQ(lab.device->next_interrupt(), Link<TapLab::Smp>::kNever);
  EXPECT_FALSE(lab.device->tx_queue(0).stopped());
  EXPECT_EQ(lab.link->posted(0), 0U);
}

TEST(TapLink, DropsAndCountsWhatIsNotTakenAndGoesOn) {
  TapLab lab;
  lab.writer->refuse = every_third;
  for (int i = 0; i < 7; ++i) lab.send(lab.make());
  EXPECT_THAT(lab.written(), ElementsAre(0, 1, 3, 4, 6));
  EXPECT_EQ(lab.account().tx_packets, 5U);
  EXPECT_EQ(lab.account().tx_dropped, 2U);
  EXPECT_EQ(lab.account().tx_bytes, 300U);
  EXPECT_EQ(lab.account().requeued, 0U);
  EXPECT_EQ(broken_law(lab.account()), "");
  EXPECT_EQ(lab.sink.home.size(), 7U);
}

TEST(TapLink, RemembersTheFirstErrorAndNoLaterOne) {
  TapLab lab;
  lab.send(lab.make());
  EXPECT_EQ(lab.link->first_error(), 0);
  for (const int error : {EIO, EAGAIN, 0, ENOBUFS}) {
    lab.writer->refuse = [error](auto) { return error; };
    lab.send(lab.make());
    EXPECT_EQ(lab.link->first_error(), EIO);
  }
}

TEST(TapLink, WritesEachQueueIntoItsOwn) {
  DeviceOptions options;
  options.queues = 3;
  TapLab lab{options};
  constexpr std::array<std::uint16_t, 6> kQueues{2, 0, 1, 2, 2, 0};
  for (const std::uint16_t queue : kQueues) lab.send(lab.make(60, queue));
  EXPECT_THAT(lab.written(0), ElementsAre(1, 5));
  EXPECT_THAT(lab.written(1), ElementsAre(2));
  EXPECT_THAT(lab.written(2), ElementsAre(0, 3, 4));
  for (std::uint32_t queue = 0; queue < 3; ++queue) {
    EXPECT_EQ(lab.account(queue).tx_packets, lab.writer->frames[queue].size());
  }
}

TEST(TapLink, WritesOneSkbAsOftenAsItIsSent) {
  TapLab lab;
  const auto burst = lab.device->start_xmit(lab.cpu, lab.make(), 4);
  EXPECT_EQ(burst.sent, 4U);
  EXPECT_THAT(lab.written(), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(lab.sink.home.size(), 4U) << "a reference for each copy";
  EXPECT_EQ(lab.account().direct, 4U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(TapLink, EndsABurstWithTheCopyThatIsNotTaken) {
  TapLab lab;
  lab.writer->refuse = [&](auto) { return lab.writer->calls == 3 ? EAGAIN : 0; };
  const auto burst = lab.device->start_xmit(lab.cpu, lab.make(), 8);
  EXPECT_EQ(burst.sent, 2U);
  EXPECT_TRUE(burst.dropped());
  EXPECT_EQ(burst.consumed(), 3U);
  EXPECT_EQ(lab.sink.home.size(), 3U) << "the rest of the references is still the sender's";
  EXPECT_EQ(lab.account().tx_dropped, 1U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(TapLink, IsDrainedByAThreadOfItsOwnBandByBand) {
  DeviceOptions options;
  options.qdisc.drain_inline = false;
  TapLab lab{options};
  lab.writer->refuse = every_third;
  for (const std::uint32_t priority : {2U, 0U, 6U, 6U}) lab.send(lab.make(60, 0, priority));
  EXPECT_THAT(lab.written(), IsEmpty());
  while (lab.device->drain(lab.cpu, 0)) {
  }
  EXPECT_THAT(lab.written(), ElementsAre(3, 1, 0));
  EXPECT_EQ(lab.account().tx_dropped, 1U);
  EXPECT_EQ(broken_law(lab.account()), "");
}

TEST(TapLink, WorksBelowARootLock) {
  DeviceOptions options;
  options.qdisc.nolock = false;
  TapLab lab{options};
  lab.writer->refuse = every_third;
  for (int i = 0; i < 4; ++i) lab.send(lab.make());
  EXPECT_THAT(lab.written(), ElementsAre(0, 1, 3));
  EXPECT_EQ(broken_law(lab.account()), "");
}

// ---- a random walk beside three deques a queue ----

class Model {
 public:
  explicit Model(std::size_t queues) : queues_(queues) {}

  void enqueue(std::uint16_t queue, std::size_t band, std::uint64_t number) {
    queues_[queue].bands[band].push_back(number);
  }
  void drain(std::uint16_t queue) {
    for (auto& band : queues_[queue].bands) {
      for (const std::uint64_t number : band) leave(queue, number);
      band.clear();
    }
  }
  // False: it was not taken.
  bool leave(std::uint16_t queue, std::uint64_t number) {
    const bool taken = number % 3 != 2;
    if (taken) queues_[queue].written.push_back(number);
    queues_[queue].dropped += taken ? 0U : 1U;
    return taken;
  }

  std::size_t waiting(std::uint16_t queue, std::size_t band) const {
    return queues_[queue].bands[band].size();
  }
  const std::vector<std::uint64_t>& written(std::uint16_t queue) const {
    return queues_[queue].written;
  }
  std::uint64_t dropped(std::uint16_t queue) const { return queues_[queue].dropped; }

 private:
  struct Queue {
    std::array<std::deque<std::uint64_t>, kBandCount> bands;
    std::vector<std::uint64_t> written;
    std::uint64_t dropped = 0;
  };
  std::vector<Queue> queues_;
};

TEST(TapLinkWalk, KeepsOrderCountsAndTheLawWhateverIsRefused) {
  constexpr std::uint16_t kQueues = 3;
  constexpr std::size_t kLimit = 8;
  constexpr std::array<std::uint32_t, kBandCount> kPriorities{6, 0, 2};
  for (const std::uint64_t seed : test::seeds(3)) {
    SCOPED_TRACE(test::repeat_with(seed));
    DeviceOptions options;
    options.queues = kQueues;
    options.qdisc.limit = kLimit;
    options.qdisc.drain_inline = false;
    TapLab lab{options};
    lab.writer->refuse = every_third;
    Model model{kQueues};
    Prng prng{seed};
    for (int step = 0; step < 3'000; ++step) {
      const auto queue = static_cast<std::uint16_t>(prng.below(kQueues));
      const std::uint32_t band = prng.below(kBandCount);
      const std::uint64_t number = lab.made;
      // A sender would wait for the drain's turn, which only this thread can take.
      const bool full = model.waiting(queue, band) == kLimit;
      switch (full ? 0 : prng.below(8)) {
        case 0:
          while (lab.device->drain(lab.cpu, queue)) {
          }
          model.drain(queue);
          break;
        case 1: {
          const std::uint32_t copies = prng.between(1, 5);
          lab.device->start_xmit(lab.cpu, lab.make(60, queue), copies);
          for (std::uint32_t i = 0; i < copies && model.leave(queue, number); ++i) {
          }
          break;
        }
        default:
          lab.send(lab.make(prng.between(60, 1500), queue, kPriorities[band]));
          model.enqueue(queue, band, number);
      }
      const QueueAccount account = lab.account(queue);
      ASSERT_EQ(broken_law(account), "") << "step " << step;
      ASSERT_EQ(account.tx_packets, model.written(queue).size()) << "step " << step;
      ASSERT_EQ(account.tx_dropped, model.dropped(queue)) << "step " << step;
    }
    for (std::uint16_t queue = 0; queue < kQueues; ++queue) {
      EXPECT_EQ(lab.written(queue), model.written(queue));
      EXPECT_GT(model.dropped(queue), 0U);
    }
  }
}

}  // namespace
}  // namespace qdiscsim
