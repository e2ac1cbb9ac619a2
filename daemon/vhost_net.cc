#include "daemon/vhost_net.h"

#include <thread>
#include <utility>
#include <vector>

#include "daemon/generator_thread.h"
#include "daemon/net_devices.h"
#include "qdisc/tun_link.h"
#include "qdisc/vhost_guest.h"
#include "qdisc/vhost_worker.h"
#include "ring/ptr_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

// One for each generation of tun's ring, so that nothing stands between it and its two sides.
template <class Clear>
class VhostNetOver final : public VhostNet {
 public:
  using Tun = TunLink<Smp, PtrRing<Smp, TestAndSetLock<Smp>, Clear>>;

  // The link is tun, and the device's.
  VhostNetOver(const VhostNetOptions& options, Tun& tun, NetDevice<Smp>& device)
      : options_{options} {
    for (std::uint32_t i = 0; i < device.queue_count(); ++i) {
      TxQueue<Smp>& tx_queue = device.tx_queue(static_cast<std::uint16_t>(i));
      queues_.push_back(std::make_unique<Queue>(options, tun, tx_queue));
    }
  }
  ~VhostNetOver() override { end_threads(); }

  void start(const std::string& device) override {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      Queue& queue = *queues_[i];
      if (options_.guest_thread) {
        queue.guest_thread = std::thread{
            [this, &queue] { queue.guest.run(queue.worker.kick(), options_.busy_poll); }};
        dress_thread(queue.guest_thread, device + "/guest" + std::to_string(i), {});
      } else {
        queue.guest.share(queue.worker.work_list(), queue.worker.kick());
      }
      queue.worker_thread = std::thread{[&queue] { queue.worker.run(); }};
      dress_thread(queue.worker_thread, device + "/vhost" + std::to_string(i), {});
    }
  }

  void stop() override {
    end_threads();
    for (const auto& queue : queues_) queue->guest.take_rest();
  }

  void discard_rest() noexcept override {
    for (const auto& queue : queues_) queue->worker.discard_rest();
  }

  VhostSnapshot read(std::uint16_t index) const override {
    const Queue& queue = *queues_[index];
    VhostSnapshot out;
    out.ring_capacity = options_.tun_ring;
    out.guest_packets = queue.guest.counters().packets.read();
    out.guest_bytes = queue.guest.counters().bytes.read();
    out.guest_wrong = queue.guest.counters().wrong.read() + (queue.worker.broken() ? 1 : 0);
    out.signals = queue.worker.counters().signals.read();
    out.no_packet = queue.worker.counters().no_packet.read();
    out.no_buffer = queue.worker.counters().no_buffer.read();
    return out;
  }

 private:
  using Host = VringHost<Smp>;
  using Worker = VhostWorker<Smp, Tun, Host>;

  struct Queue {
    Queue(const VhostNetOptions& options, Tun& tun, TxQueue<Smp>& tx_queue)
        : guest{options.vring, Worker::kHeader},
          host{guest.ring(), guest.memory(), guest.kRingAt},
          worker{
              tun,
              tx_queue,
              host,
              guest.call(),
              static_cast<CpuId>(options.first_cpu + tx_queue.index()),
              {.queue = tx_queue.index(), .batch = options.batch, .busy_poll = options.busy_poll}} {
      QDISCSIM_CHECK(host.attach());
    }

    VhostGuest<Smp> guest;
    Host host;
    Worker worker;
    std::thread worker_thread;
    std::thread guest_thread;
  };

  // Workers first: a guest may be work on its worker's thread.
  void end_threads() noexcept {
    for (const auto& queue : queues_) {
      if (queue->worker_thread.joinable()) {
        queue->worker.stop();
        queue->worker_thread.join();
      }
      if (queue->guest_thread.joinable()) {
        queue->guest.stop();
        queue->guest_thread.join();
      }
    }
  }

  VhostNetOptions options_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

template <class Clear>
VhostDevice make(const DeviceOptions& options, const VhostNetOptions& vhost, SkbSink<Smp>& sink,
                 CaptureBuffer<Smp>* capture) {
  using Net = VhostNetOver<Clear>;
  auto link = std::make_unique<typename Net::Tun>(sink, static_cast<std::uint16_t>(options.queues),
                                                  vhost.tun_ring, options.qdisc.cpus);
  typename Net::Tun& tun = *link;
  VhostDevice made;
  made.device = make_net_device(options, std::move(link), sink, capture);
  made.vhost = std::make_unique<Net>(vhost, tun, *made.device);
  return made;
}

}  // namespace

VhostDevice make_vhost_device(const DeviceOptions& options, const VhostNetOptions& vhost,
                              SkbSink<Smp>& sink, CaptureBuffer<Smp>* capture) {
  switch (vhost.clear) {
    case RingClear::kZeroEach:
      return make<ZeroEach>(options, vhost, sink, capture);
    case RingClear::kZeroBatch:
      break;
    case RingClear::kClearAfterHead:
      return make<ClearAfterHead>(options, vhost, sink, capture);
    case RingClear::kClearAfterHeadBarriers:
      return make<ClearAfterHeadBarriers>(options, vhost, sink, capture);
    case RingClear::kFlushOnEmpty:
      return make<FlushOnEmpty<ZeroBatch>>(options, vhost, sink, capture);
  }
  return make<ZeroBatch>(options, vhost, sink, capture);
}

}  // namespace qdiscsim
