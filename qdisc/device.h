// NetDevice: a network device with its qdiscs and tx queues, as senders and the control thread see
// it. Device is the one implementation; it is generic in the ring, which this interface hides.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "qdisc/qdisc.h"

namespace qdiscsim {

enum class RootQdisc : std::uint8_t {
  kMq,         // one pfifo_fast for each tx queue; with one queue the plain default
  kPfifoFast,  // one pfifo_fast over all tx queues
};

struct DeviceOptions {
  std::uint32_t queues = 1;
  RootQdisc root = RootQdisc::kMq;
  QdiscOptions qdisc;
  std::uint32_t bql_min = 0;  // bytes
  std::uint32_t bql_max = 0;  // bytes; 0 = no byte queue limit
};

template <class Smp>
class NetDevice {
 public:
  using Packet = Skb<Smp>;
  // Lists the readers (base/quiescence.h) of all CPUs that may be inside the device, and waits for
  // them.
  using GracePeriod = void (*)(void* context);

  NetDevice() = default;
  NetDevice(const NetDevice&) = delete;
  NetDevice& operator=(const NetDevice&) = delete;
  virtual ~NetDevice() = default;

  // ---- data path: any CPU, between two quiescent points ----

  // Through the qdisc of skb->queue_mapping. Takes the skb whatever the answer.
  virtual Verdict queue_xmit(Cpu<Smp>& cpu, Packet* skb) noexcept = 0;

  // The enqueue_burst extension: all skbs go to the queue of the first. Takes all; returns how many
  // were accepted.
  virtual std::size_t queue_xmit_list(Cpu<Smp>& cpu, std::span<Packet* const> skbs) noexcept = 0;

  struct StartXmit {
    std::uint32_t sent = 0;         // copies that the driver took and will send
    Verdict last = Verdict::kBusy;  // to the copy tried last; kBusy when the queue is stopped

    // The copy behind the sent ones was taken and thrown away.
    bool dropped() const noexcept { return last == Verdict::kDrop || last == Verdict::kCongested; }
    std::uint32_t consumed() const noexcept { return sent + (dropped() ? 1 : 0); }
  };
  // Straight to the driver, past the qdisc and past BQL's stop: the same skb up to `copies` times,
  // until an answer is not kOk. What was not consumed is still the caller's, who tries again later.
  virtual StartXmit start_xmit(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept = 0;

  struct Received {
    std::uint32_t delivered = 0;
    std::uint32_t dropped = 0;  // of them: answered with RX_DROP
  };
  // Receives copies of skb: the stack's handler counts and frees them. Fewer than `copies` when
  // somebody kept a reference; the rest of the references is still the caller's.
  virtual Received receive(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept = 0;

  // Takes the link's interrupts that are due, on this CPU. False: nothing was due.
  virtual bool poll(Cpu<Smp>& cpu, Nanoseconds now) noexcept = 0;
  // Earliest time at which poll() has something to do; Link::kNever when the rings are empty.
  virtual Nanoseconds next_interrupt() const noexcept = 0;
  // A link that completes by time needs poll(); a dummy does not.
  virtual bool needs_poll() const noexcept = 0;

  // One turn of queue's dedicated drain thread. False: nothing to do.
  virtual bool drain(Cpu<Smp>& cpu, std::uint16_t queue) noexcept = 0;

  // ---- control thread ----

  // `ip link set down`: stops every tx queue (kDeviceOff), takes every qdisc down, waits for a
  // grace period, and discards what waits. What the driver has posted still leaves. Again: no harm.
  virtual void deactivate(Cpu<Smp>& control, GracePeriod grace, void* context) noexcept = 0;
  // `ip link set up`.
  virtual void activate() noexcept = 0;
  // As the kernel: takes the qdiscs down, resizes all bands, and takes them up again unless the
  // device is down. False when memory is short: nothing changed but what waited is gone.
  virtual bool change_tx_queue_len(Cpu<Smp>& control, std::uint32_t limit, GracePeriod grace,
                                   void* context) = 0;
  // The queue's consumer stands still, and goes on: queue_stalls.h. thaw(): on any CPU, which gets
  // the qdisc to run in its softirq.
  virtual void freeze(std::uint16_t queue, Nanoseconds now) noexcept = 0;
  virtual void thaw(Cpu<Smp>& cpu, std::uint16_t queue, Nanoseconds now) noexcept = 0;
  // Takes everything off the rings whatever the time: the end of a device.
  virtual void flush_rings(Cpu<Smp>& control) noexcept = 0;
  virtual void set_sojourn_sample(std::uint32_t every) noexcept = 0;
  virtual void set_kernel_bugs(KernelBugs bugs) noexcept = 0;
  // dev_watchdog(): the first tx queue that has been stopped for longer than timeout is counted in
  // its trans_timeout, told to the driver, and returned. Nothing while the device is down.
  virtual std::optional<std::uint16_t> watchdog(Nanoseconds now, Nanoseconds timeout) noexcept = 0;
  virtual Link<Smp>& link() noexcept = 0;
  virtual const Link<Smp>& link() const noexcept = 0;

  // ---- readings: any thread ----

  // As activate() and deactivate() left it; a change of tx_queue_len does not show.
  virtual bool up() const noexcept = 0;
  virtual std::uint32_t queue_count() const noexcept = 0;
  virtual std::uint32_t qdisc_count() const noexcept = 0;
  virtual std::uint32_t tx_queue_len() const noexcept = 0;
  virtual const TxQueue<Smp>& tx_queue(std::uint16_t queue) const noexcept = 0;
  // For whoever completes packets in the link's stead, under a CPU number of its own.
  virtual TxQueue<Smp>& tx_queue(std::uint16_t queue) noexcept = 0;
  virtual std::uint64_t received() const noexcept = 0;
  // Account of qdisc `index` with the tx queues that it serves.
  virtual QueueAccount account(std::uint32_t index, bool quiescent) const noexcept = 0;
  virtual QueueAttention attention(std::uint32_t index) const noexcept = 0;
  // Of the timed packets of a band of qdisc `index`.
  virtual Recording sojourn(std::uint32_t index, std::size_t band) const = 0;
};

template <class Smp, class Ring>
class Device final : public NetDevice<Smp> {
 public:
  using typename NetDevice<Smp>::Packet;
  using typename NetDevice<Smp>::StartXmit;
  using typename NetDevice<Smp>::Received;
  using typename NetDevice<Smp>::GracePeriod;

  // The sink outlives the device. Throws std::bad_alloc, std::invalid_argument.
  Device(const DeviceOptions& options, std::unique_ptr<Link<Smp>> link, SkbSink<Smp>& sink);

  Verdict queue_xmit(Cpu<Smp>& cpu, Packet* skb) noexcept override {
    return qdisc_of(skb->queue_mapping).xmit(cpu, skb);
  }
  std::size_t queue_xmit_list(Cpu<Smp>& cpu, std::span<Packet* const> skbs) noexcept override {
    return qdisc_of(skbs[0]->queue_mapping).xmit_list(cpu, skbs);
  }
  StartXmit start_xmit(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept override;
  Received receive(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept override;
  bool poll(Cpu<Smp>& cpu, Nanoseconds now) noexcept override;
  Nanoseconds next_interrupt() const noexcept override;
  bool needs_poll() const noexcept override { return !link_->lockless_transmit(); }
  bool drain(Cpu<Smp>& cpu, std::uint16_t queue) noexcept override;

  void deactivate(Cpu<Smp>& control, GracePeriod grace, void* context) noexcept override;
  void activate() noexcept override;
  bool change_tx_queue_len(Cpu<Smp>& control, std::uint32_t limit, GracePeriod grace,
                           void* context) override;
  void freeze(std::uint16_t queue, Nanoseconds now) noexcept override;
  void thaw(Cpu<Smp>& cpu, std::uint16_t queue, Nanoseconds now) noexcept override;
  void flush_rings(Cpu<Smp>& control) noexcept override {
    for (auto& queue : queues_) link_->complete(control, *queue, Link<Smp>::kNever);
  }
  void set_sojourn_sample(std::uint32_t every) noexcept override {
    for (auto& qdisc : qdiscs_) qdisc->fifo().set_sojourn_sample(every);
  }
  void set_kernel_bugs(KernelBugs bugs) noexcept override {
    for (auto& qdisc : qdiscs_) qdisc->set_bugs(bugs);
  }
  std::optional<std::uint16_t> watchdog(Nanoseconds now, Nanoseconds timeout) noexcept override;
  Link<Smp>& link() noexcept override { return *link_; }
  const Link<Smp>& link() const noexcept override { return *link_; }

  bool up() const noexcept override { return up_.load(smp::relaxed); }
  std::uint32_t queue_count() const noexcept override {
    return static_cast<std::uint32_t>(queues_.size());
  }
  std::uint32_t qdisc_count() const noexcept override {
    return static_cast<std::uint32_t>(qdiscs_.size());
  }
  std::uint32_t tx_queue_len() const noexcept override { return qdiscs_[0]->fifo().limit(); }
  const TxQueue<Smp>& tx_queue(std::uint16_t queue) const noexcept override {
    return *queues_[queue];
  }
  TxQueue<Smp>& tx_queue(std::uint16_t queue) noexcept override { return *queues_[queue]; }
  std::uint64_t received() const noexcept override;
  QueueAccount account(std::uint32_t index, bool quiescent) const noexcept override;
  QueueAttention attention(std::uint32_t index) const noexcept override {
    return qdiscs_[index]->attention();
  }
  Recording sojourn(std::uint32_t index, std::size_t band) const override {
    return qdiscs_[index]->fifo().sojourn(band);
  }

  Qdisc<Smp, Ring>& qdisc(std::uint32_t index) noexcept { return *qdiscs_[index]; }
  TxQueue<Smp>& tx_queue_for_test(std::uint16_t queue) noexcept { return *queues_[queue]; }

 private:
  struct alignas(kCacheLine) ReceiveCounter {
    Counter<Smp> packets;
  };

  Qdisc<Smp, Ring>& qdisc_of(std::uint16_t queue) noexcept { return *qdisc_of_queue_[queue]; }
  // The qdiscs alone: dev_deactivate() and dev_activate().
  void take_down(Cpu<Smp>& control, GracePeriod grace, void* context) noexcept;
  void bring_up() noexcept;

  std::unique_ptr<Link<Smp>> link_;
  SkbSink<Smp>& sink_;
  std::vector<std::unique_ptr<TxQueue<Smp>>> queues_;
  std::vector<TxQueue<Smp>*> queue_pointers_;
  std::vector<std::unique_ptr<Qdisc<Smp, Ring>>> qdiscs_;
  std::vector<Qdisc<Smp, Ring>*> qdisc_of_queue_;
  std::unique_ptr<ReceiveCounter[]> received_;
  std::uint32_t cpus_;
  // Control thread writes. A flag to be shown and no order: senders go by their qdisc's state.
  typename Smp::template atomic<bool> up_{true};
};

}  // namespace qdiscsim

#include "qdisc/device_impl.h"
