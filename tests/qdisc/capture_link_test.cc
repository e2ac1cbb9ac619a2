// What a capture keeps of a packet, and that the device does not notice it.
#include "qdisc/capture_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "qdisc/dummy_link.h"
#include "qdisc/wire_link.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;
using CaptureRing = PtrRing<Smp>;

// A device whose driver is a fake one behind a capture.
class CaptureLinkTest : public testing::Test {
 protected:
  void make(CaptureBufferOptions options = {}) {
    options.cpus = 2;
    options.queues = 2;
    buffer_ = std::make_unique<CaptureBuffer<Smp>>(options);
    DeviceOptions device;
    device.queues = 2;
    device.qdisc.cpus = 2;
    auto fake = std::make_unique<test::FakeLink<Smp>>(sink_);
    fake_ = fake.get();
    device_ = std::make_unique<Device<Smp, CaptureRing>>(
        device, captured<Smp>(std::move(fake), buffer_.get()), sink_);
    ManualClock::set(kSecond);
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(i);
    skb_.data = bytes_.data();
    skb_.len = 100;
  }

  Verdict send(std::uint32_t priority, std::uint16_t queue = 0) {
    skb_.priority = priority;
    skb_.queue_mapping = queue;
    const Verdict verdict = device_->queue_xmit(cpu_, &skb_);
    cpu_.run_softirqs();
    return verdict;
  }

  // All that was captured, given back.
  std::vector<CaptureRecord> take() {
    std::array<CaptureRecord*, 64> records;
    std::vector<CaptureRecord> out;
    const std::size_t count = buffer_->take(std::span{records});
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(*records[i]);
      content_.assign(records[i]->content().begin(), records[i]->content().end());
      buffer_->give_back(records[i]);
    }
    return out;
  }

  test::RecordingSink<Smp> sink_;
  std::unique_ptr<CaptureBuffer<Smp>> buffer_;
  test::FakeLink<Smp>* fake_ = nullptr;
  std::unique_ptr<Device<Smp, CaptureRing>> device_;
  Cpu<Smp> cpu_{1};
  std::array<std::byte, 4096> bytes_;
  Skb<Smp> skb_;
  std::vector<std::byte> content_;  // of the record taken last
};

TEST_F(CaptureLinkTest, KeepsBytesTimeQueueAndBandOfAPacket) {
  make();
  ManualClock::set(7 * kSecond);
  EXPECT_EQ(send(6, 1), Verdict::kOk);
  const auto records = take();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].time, 7 * kSecond);
  EXPECT_EQ(records[0].cpu, 1U);
  EXPECT_EQ(records[0].queue, 1U);
  EXPECT_EQ(records[0].band, 0U);
  EXPECT_EQ(records[0].length, 100U);
  EXPECT_EQ(content_, std::vector(bytes_.begin(), bytes_.begin() + 100));
  EXPECT_EQ(sink_.home.size(), 1U);
}

// What is home may be another packet's at once.
class ScribblingSink final : public SkbSink<Smp> {
 public:
  void consume(Skb<Smp>* skb, CpuId /*cpu*/) noexcept override {
    std::fill_n(skb->data, skb->len, std::byte{0xee});
    skb->len = 0;
    skb->priority = 6;
  }
};

TEST_F(CaptureLinkTest, KeepsThePacketAsItWasBeforeItWentHome) {
  make();
  ScribblingSink sink;
  CaptureLink<Smp> link{std::make_unique<DummyLink<Smp>>(sink), *buffer_};
  TxQueue<Smp> queue{0, 2, 0, 0};
  const std::vector before(bytes_.begin(), bytes_.begin() + 100);
  EXPECT_EQ(link.transmit(cpu_, queue, &skb_, false), Verdict::kOk);
  const auto records = take();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].length, 100U);
  EXPECT_EQ(records[0].band, 1U);
  EXPECT_EQ(content_, before);
}

TEST_F(CaptureLinkTest, NamesTheBandOfThePriorityMap) {
  make();
  for (std::uint32_t priority = 0; priority < 16; ++priority) {
    send(priority);
    EXPECT_EQ(take().at(0).band, band_of(priority)) << priority;
  }
}

TEST_F(CaptureLinkTest, KeepsThePacketsOfAQueueInTheOrderInWhichTheyLeft) {
  make();
  fake_->room = 0;  // the first is requeued; what comes then waits, and leaves by band
  std::vector<Skb<Smp>> skbs(5);
  constexpr std::array<std::uint32_t, 5> kPriorities{0, 2, 0, 6, 2};
  for (std::size_t i = 0; i < skbs.size(); ++i) {
    skbs[i].data = bytes_.data();
    skbs[i].len = 60 + static_cast<std::uint32_t>(i);
    skbs[i].priority = kPriorities[i];
    device_->queue_xmit(cpu_, &skbs[i]);
    cpu_.run_softirqs();
  }
  EXPECT_TRUE(take().empty());
  fake_->room = test::FakeLink<Smp>::kEndless;
  device_->qdisc(0).schedule(cpu_);
  cpu_.run_softirqs();
  std::vector<std::uint32_t> lengths;
  for (const CaptureRecord& record : take()) lengths.push_back(record.length);
  std::vector<std::uint32_t> sent;
  for (const auto& packet : fake_->sent) sent.push_back(packet.skb->len);
  EXPECT_EQ(sent.size(), 5U);
  EXPECT_EQ(lengths, sent);
}

TEST_F(CaptureLinkTest, KeepsNothingOfWhatTheLinkRefusesOrDrops) {
  make();
  fake_->script = {Verdict::kBusy, Verdict::kDrop, Verdict::kCongested};
  EXPECT_EQ(device_->start_xmit(cpu_, &skb_, 1).last, Verdict::kBusy);
  EXPECT_EQ(device_->start_xmit(cpu_, &skb_, 1).last, Verdict::kDrop);
  EXPECT_EQ(device_->start_xmit(cpu_, &skb_, 1).last, Verdict::kCongested);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(device_->start_xmit(cpu_, &skb_, 1).sent, 1U);
  EXPECT_EQ(take().size(), 1U);
  EXPECT_EQ(buffer_->missed(0), 0U);
}

TEST_F(CaptureLinkTest, KeepsEveryCopyOfASharedSkb) {
  make();
  EXPECT_EQ(device_->start_xmit(cpu_, &skb_, 5).sent, 5U);
  EXPECT_EQ(take().size(), 5U);
}

TEST_F(CaptureLinkTest, PutsATagThatTravelsBesideThePacketIntoIt) {
  make();
  skb_.vlan_tag = 0x8100'6007;
  send(0);
  EXPECT_EQ(take().at(0).length, 104U);
  std::vector<std::byte> wanted(bytes_.begin(), bytes_.begin() + 12);
  for (const int byte : {0x81, 0x00, 0x60, 0x07}) wanted.push_back(static_cast<std::byte>(byte));
  wanted.insert(wanted.end(), bytes_.begin() + 12, bytes_.begin() + 100);
  EXPECT_EQ(content_, wanted);
}

TEST_F(CaptureLinkTest, CutsPacketsAtTheSnapshotLengthAndKeepsTheirOwn) {
  make({.snaplen = 64});
  send(0);
  auto records = take();
  EXPECT_EQ(records.at(0).length, 100U);
  EXPECT_EQ(content_, std::vector(bytes_.begin(), bytes_.begin() + 64));
  skb_.vlan_tag = 0x8100'0001;
  send(0);
  records = take();
  EXPECT_EQ(records.at(0).length, 104U);
  EXPECT_EQ(content_.size(), 64U);
  EXPECT_EQ(content_.back(), bytes_[59]);
}

TEST_F(CaptureLinkTest, MissesWhatTheWriterHasNoRoomForAndSendsItAllTheSame) {
  make({.records = 3});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(send(0), Verdict::kOk);
  EXPECT_EQ(send(0, 1), Verdict::kOk);
  EXPECT_EQ(buffer_->missed(0), 2U);
  EXPECT_EQ(buffer_->missed(1), 1U);
  EXPECT_EQ(fake_->sent.size(), 6U);
  EXPECT_EQ(take().size(), 3U);
  send(0, 1);
  EXPECT_EQ(take().size(), 1U);
  EXPECT_EQ(buffer_->missed(1), 1U);
}

TEST_F(CaptureLinkTest, LeavesEverythingToTheLinkOnceTheCaptureIsOver) {
  make({.records = 1});
  buffer_->close();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(0), Verdict::kOk);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(buffer_->missed(0), 0U);
  EXPECT_EQ(fake_->sent.size(), 3U);
}

TEST_F(CaptureLinkTest, IsNotThereWithoutACapture) {
  auto link = std::make_unique<test::FakeLink<Smp>>(sink_);
  const Link<Smp>* const itself = link.get();
  EXPECT_EQ(captured<Smp>(std::move(link), nullptr).get(), itself);
}

// A wire behind a capture is polled, completes, stops its queue and obeys a new rate, as without.
TEST_F(CaptureLinkTest, ChangesNothingOfAWire) {
  ManualClock::set(kSecond);
  CaptureBuffer<Smp> buffer{{.cpus = 2}};
  DeviceOptions options;
  options.qdisc.cpus = 2;
  std::array<std::unique_ptr<Device<Smp, CaptureRing>>, 2> devices;
  std::array<test::RecordingSink<Smp>, 2> sinks;
  for (std::size_t i = 0; i < 2; ++i) {
    devices[i] = std::make_unique<Device<Smp, CaptureRing>>(
        options,
        captured<Smp>(std::make_unique<WireLink<Smp>>(sinks[i], 1'000'000, 8, 1),
                      i == 0 ? nullptr : &buffer),
        sinks[i]);
  }
  std::vector<Skb<Smp>> skbs(24);
  Cpu<Smp> cpu{1};
  for (auto& skb : skbs) {
    skb.data = bytes_.data();
    skb.len = 60;
  }
  const auto same = [&] {
    const auto& plain = *devices[0];
    const auto& tapped = *devices[1];
    EXPECT_EQ(plain.needs_poll(), tapped.needs_poll());
    EXPECT_EQ(plain.next_interrupt(), tapped.next_interrupt());
    EXPECT_EQ(plain.link().busy_until(), tapped.link().busy_until());
    EXPECT_EQ(plain.link().posted(0), tapped.link().posted(0));
    EXPECT_EQ(plain.link().rate(), tapped.link().rate());
    EXPECT_EQ(plain.link().catch_up_ns(), tapped.link().catch_up_ns());
    EXPECT_EQ(plain.tx_queue(0).stopped(), tapped.tx_queue(0).stopped());
    EXPECT_EQ(sinks[0].home.size(), sinks[1].home.size());
    EXPECT_EQ(broken_law(tapped.account(0, true)), "");
  };
  for (std::size_t i = 0; i < skbs.size(); ++i) {
    devices[i % 2]->queue_xmit(cpu, &skbs[i]);
    cpu.run_softirqs();
    if (i % 2 == 1) same();
  }
  EXPECT_TRUE(devices[1]->tx_queue(0).stopped());
  for (auto& device : devices) device->link().set_rate(2'000'000);
  for (int i = 0; i < 12; ++i) {
    ManualClock::advance(kMillisecond);
    for (auto& device : devices) {
      device->poll(cpu, Smp::now());
      cpu.run_softirqs();
    }
    same();
  }
  EXPECT_EQ(sinks[1].home.size(), 12U);
  std::array<CaptureRecord*, 64> records;
  EXPECT_EQ(buffer.take(std::span{records}), 12U);
}

}  // namespace
}  // namespace qdiscsim
