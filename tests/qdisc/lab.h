// What the tests of qdisc/ share: a sink that remembers, a driver that does as it is told, and a
// device between them under the manual clock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/smp_native.h"
#include "qdisc/device.h"
#include "ring/ptr_ring.h"

namespace qdiscsim::test {

// Remembers the skbs that came home, in order. One thread.
template <class Smp>
class RecordingSink final : public SkbSink<Smp> {
 public:
  void consume(Skb<Smp>* skb, CpuId /*cpu*/) noexcept override { home.push_back(skb); }

  std::vector<Skb<Smp>*> home;
};

// Takes packets while it has room, then stops its queue and answers kBusy. A script overrides the
// answers of the next calls. What it takes has left at once, and goes to the sink. One thread.
template <class Smp>
class FakeLink final : public Link<Smp> {
 public:
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};

  struct Sent {
    Skb<Smp>* skb;
    std::uint16_t queue;
    bool more;
  };

  explicit FakeLink(SkbSink<Smp>& sink) : sink_{sink} {}

  bool lockless_transmit() const noexcept override { return lockless; }

  Verdict transmit(Cpu<Smp>& cpu, TxQueue<Smp>& queue, Skb<Smp>* skb, bool more) noexcept override {
    ++calls;
    if (!script.empty()) {
      const Verdict verdict = script.front();
      script.pop_front();
      if (!is_consumed(verdict)) return verdict;
      if (verdict != Verdict::kOk) {
        queue.counters(cpu.id()).dropped.add(1);
        sink_.consume(skb, cpu.id());
        return verdict;
      }
    }
    if (room == 0) return Verdict::kBusy;
    if (const auto now = std::exchange(meanwhile, nullptr)) now();
    sent.push_back({skb, queue.index(), more});
    queue.counters(cpu.id()).packets.add(1);
    queue.counters(cpu.id()).bytes.add(skb->len);
    if (queue.bql.enabled()) queue.bql.queued(skb->len);
    sink_.consume(skb, cpu.id());
    if (room != kEndless && --room == 0) queue.stop(TxQueue<Smp>::kDriverOff, Smp::now());
    return Verdict::kOk;
  }

  bool complete(Cpu<Smp>& /*cpu*/, TxQueue<Smp>& /*queue*/, Nanoseconds /*now*/) noexcept override {
    return false;
  }
  Nanoseconds interrupt_at(std::uint16_t /*queue*/) const noexcept override {
    return Link<Smp>::kNever;
  }
  std::uint64_t posted(std::uint16_t /*queue*/) const noexcept override { return 0; }
  Nanoseconds catch_up_ns() const noexcept override { return 0; }
  std::uint64_t rate() const noexcept override { return 0; }
  void set_rate(std::uint64_t /*bits_per_second*/) noexcept override {}
  void tx_timeout(std::uint16_t queue) noexcept override { timeouts.push_back(queue); }

  std::vector<std::uint16_t> timeouts;  // queues that the watchdog told of
  bool lockless = false;
  std::function<void()> meanwhile;  // what another CPU does before the next packet is taken
  std::uint64_t room = kEndless;
  std::deque<Verdict> script;
  std::vector<Sent> sent;
  std::uint64_t calls = 0;

 private:
  SkbSink<Smp>& sink_;
};

// A device with a fake driver, and one CPU. Its packets live as long as it does.
class Lab {
 public:
  using Smp = smp::NativeManual;
  using Ring = PtrRing<Smp>;
  using Packet = Skb<Smp>;
  using State = RunState<Smp>;
  using Queue = TxQueue<Smp>;

  explicit Lab(DeviceOptions options = {}, bool lockless = false) {
    ManualClock::set(kSecond);
    options.qdisc.cpus = 2;
    auto owned = std::make_unique<FakeLink<Smp>>(sink);
    link = owned.get();
    link->lockless = lockless;
    device = std::make_unique<Device<Smp, Ring>>(options, std::move(owned), sink);
  }

  static DeviceOptions with_limit(std::uint32_t limit, std::uint32_t queues = 1,
                                  RootQdisc root = RootQdisc::kMq) {
    DeviceOptions options;
    options.queues = queues;
    options.root = root;
    options.qdisc.limit = limit;
    return options;
  }

  Packet* make(std::uint32_t priority, std::uint32_t len = 60, std::uint16_t queue = 0) {
    packets_.push_back(std::make_unique<Packet>());
    Packet* skb = packets_.back().get();
    skb->priority = priority;
    skb->len = len;
    skb->queue_mapping = queue;
    return skb;
  }

  // One packet through the device, and then what the softirq has to do.
  Verdict send(Packet* skb) {
    const Verdict verdict = device->queue_xmit(cpu, skb);
    cpu.run_softirqs();
    return verdict;
  }
  Verdict send_one(std::uint32_t priority) { return send(make(priority)); }
  // How many of count were accepted.
  int send_many(int count, std::uint32_t priority) {
    int accepted = 0;
    for (int i = 0; i < count; ++i) accepted += send_one(priority) == Verdict::kOk ? 1 : 0;
    return accepted;
  }

  // Packets wait in the rings: another CPU held the run state while they came. Nothing has run
  // since. The bands must have room.
  void queue_up(const std::vector<Packet*>& skbs, std::uint32_t index = 0) {
    State& state = qdisc(index).state();
    const bool held = state.run_begin();
    QDISCSIM_CHECK(held);
    for (Packet* skb : skbs) device->queue_xmit(cpu, skb);
    static_cast<void>(state.run_end());
  }
  std::vector<Packet*> make_many(int count, std::uint32_t priority, std::uint32_t len = 60) {
    std::vector<Packet*> skbs(static_cast<std::size_t>(count));
    for (Packet*& skb : skbs) skb = make(priority, len);
    return skbs;
  }

  void stop(std::uint16_t queue = 0) {
    device->tx_queue_for_test(queue).stop(Queue::kDriverOff, Smp::now());
  }
  // The driver has room again; the softirq has not run yet.
  void wake(std::uint16_t queue = 0, std::uint64_t room = FakeLink<Smp>::kEndless) {
    link->room = room;
    if (device->tx_queue_for_test(queue).wake(Queue::kDriverOff, Smp::now())) {
      device->qdisc(device->qdisc_count() == 1 ? 0 : queue).schedule(cpu);
    }
  }

  void deactivate() {
    device->deactivate(
        control, [](void*) {}, nullptr);
  }

  Qdisc<Smp, Ring>& qdisc(std::uint32_t index = 0) { return device->qdisc(index); }
  bool has(State::Bit bit, std::uint32_t index = 0) {
    return (qdisc(index).state().hint() & bit) != 0;
  }
  QueueAccount account(std::uint32_t index = 0) { return device->account(index, true); }

  // The kernel's counters of a whole qdisc.
  struct Counters {
    std::uint64_t packets = 0;
    std::uint64_t drops = 0;
    std::uint64_t requeues = 0;
    std::uint64_t qlen = 0;
    std::uint64_t backlog = 0;  // bytes
    bool operator==(const Counters&) const = default;
  };
  Counters counters(std::uint32_t index = 0) {
    const QueueAccount a = account(index);
    Counters c;
    c.qlen = a.requeue_packets;
    c.backlog = a.requeued_bytes - a.unrequeued_bytes;
    for (const BandAccount& band : a.bands) {
      c.packets += band.sent();
      c.drops += band.dropped();
      c.requeues += band.requeues;
      c.qlen += band.ring_packets;
      c.backlog += band.enqueued_bytes - band.dequeued_bytes;
    }
    return c;
  }

  // Sizes of the batches that the driver got since `from`: a batch ends where nothing follows.
  std::vector<int> batches(std::size_t from = 0) const {
    std::vector<int> sizes;
    int size = 0;
    for (std::size_t i = from; i < link->sent.size(); ++i) {
      ++size;
      if (link->sent[i].more) continue;
      sizes.push_back(size);
      size = 0;
    }
    return sizes;
  }

  // What the driver took, in order.
  std::vector<Packet*> sent(std::size_t from = 0) const {
    std::vector<Packet*> skbs;
    for (std::size_t i = from; i < link->sent.size(); ++i) skbs.push_back(link->sent[i].skb);
    return skbs;
  }

  RecordingSink<Smp> sink;
  FakeLink<Smp>* link = nullptr;
  std::unique_ptr<Device<Smp, Ring>> device;
  Cpu<Smp> cpu{0};
  Cpu<Smp> control{1};

 private:
  std::vector<std::unique_ptr<Packet>> packets_;
};

inline std::ostream& operator<<(std::ostream& out, const Lab::Counters& c) {
  return out << "packets " << c.packets << " drops " << c.drops << " requeues " << c.requeues
             << " qlen " << c.qlen << " backlog " << c.backlog;
}

}  // namespace qdiscsim::test
