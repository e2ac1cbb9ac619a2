// vhost_net: packets on their way from pktgen into a guest, three threads and two rings:
//
//   pktgen ── start_xmit ──▶ tun's ptr_ring ──▶ vhost worker ──▶ vring ──▶ guest
//   builds each packet       full: dropped      one by one,       256       checks it,
//                                               or 64 at once     buffers   gives the buffer back
//
// With fewer than three CPUs the guest has no thread of its own: its interrupt is work for the
// worker's thread, which goes on with the next packets when the guest has emptied its ring. Else
// the two would take turns at the scheduler's pace, and tun's ring would overflow meanwhile.
//
// pktgen never waits, so whatever the worker cannot carry is dropped at tun's ring. Checked at the
// end, to the packet: sent = accepted + dropped at tun; accepted = received by the guest (nothing
// is left in a ring); the guest sees the numbers that pktgen wrote rise.
// Source of the scenario: the kernel's series on batch zeroing in ptr_ring, 2017.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "bench/ring/params.h"
#include "bench/ring/threads.h"
#include "pktgen/generator.h"
#include "qdisc/tun_link.h"
#include "qdisc/vhost_worker.h"
#include "ring/ptr_ring.h"
#include "ring/vring_driver.h"
#include "ring/vring_host.h"

namespace qdiscsim::ring_bench {

// The guest's receive queue: posts buffers, looks at what comes, posts them again. Polls while
// packets come, and sleeps on the host's signal when none does, as virtio_net under NAPI.
class VhostGuest {
 public:
  using Smp = smp::Native;

  static constexpr std::size_t kBuffers = 256;
  static constexpr std::uint32_t kBufferBytes = 1536;
  static constexpr GuestAddress kRingAt = 0x10'0000;
  static constexpr GuestAddress kBuffersAt = 0x4000'0000;

  // first: bytes before the packet in a buffer.
  VhostGuest(bool event_index, std::size_t first)
      : first_{first},
        ring_{kBuffers, event_index},
        bytes_(kBuffers * kBufferBytes),
        driver_{ring_} {
    QDISCSIM_CHECK(memory_.add({kRingAt, ring_.bytes(), ring_.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(
        memory_.add({kBuffersAt, bytes_.size(), bytes_.data(), GuestAccess::kReadWrite}));
    for (std::size_t i = 0; i < kBuffers; ++i) post(&bytes_[i * kBufferBytes]);
  }

  Vring<Smp>& ring() noexcept { return ring_; }
  const GuestMemory& memory() const noexcept { return memory_; }
  EventCounter<Smp>& call() noexcept { return call_; }

  // As work of the host's thread, which shares its CPU with the guest. Before threads start.
  void share(WorkList<Smp>& host_thread, EventCounter<Smp>& kick) noexcept {
    host_thread_ = &host_thread;
    kick_ = &kick;
    call_.attach(interrupt_);
    host_thread.queue(napi_);
  }

  // On a thread of its own, until control says stop.
  void run(EventCounter<Smp>& kick, RunControl& control) noexcept {
    Wait wait{control};
    while (!control.stopped()) {
      poll_until_idle(kick);
      while (!call_.pending() && wait.pause()) {
      }
      call_.take();
    }
    poll(kick);
  }

  // Any thread.
  std::uint64_t received() const noexcept { return received_.read(); }
  // After the run: packets whose number did not rise, or whose length is not that of the first.
  std::uint64_t wrong() const noexcept { return wrong_ + driver_.broken(); }

 private:
  class Interrupt final : public EventCounter<Smp>::Waiter {
   public:
    explicit Interrupt(VhostGuest& guest) noexcept : guest_{guest} {}
    void wake() noexcept override { guest_.host_thread_->queue(guest_.napi_); }

   private:
    VhostGuest& guest_;
  };
  class Napi final : public WorkList<Smp>::Work {
   public:
    explicit Napi(VhostGuest& guest) noexcept : guest_{guest} {}
    void run() noexcept override { guest_.poll_until_idle(*guest_.kick_); }

   private:
    VhostGuest& guest_;
  };

  void poll_until_idle(EventCounter<Smp>& kick) noexcept {
    if (driver_.kick_prepare()) kick.signal();
    do {
      driver_.disable_callbacks();
      while (poll(kick) != 0) {
      }
    } while (!driver_.enable_callbacks());
  }

  static constexpr std::size_t kNumberAt = 46;  // in the packet: pktgen's sequence number

  void post(std::byte* buffer) noexcept {
    const auto at = static_cast<std::uint64_t>(buffer - bytes_.data());
    if (!driver_.add_in({kBuffersAt + at, kBufferBytes}, buffer)) ++wrong_;
  }

  // Takes what is there, then posts the buffers again with one kick.
  std::size_t poll(EventCounter<Smp>& kick) noexcept {
    std::size_t count = 0;
    std::uint32_t written = 0;
    std::array<void*, 64> taken;
    while (count < taken.size() && (taken[count] = driver_.get_used(&written)) != nullptr) {
      look(static_cast<const std::byte*>(taken[count]), written);
      ++count;
    }
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) post(static_cast<std::byte*>(taken[i]));
    if (driver_.kick_prepare()) kick.signal();
    received_.add(count);
    return count;
  }

  void look(const std::byte* buffer, std::uint32_t written) noexcept {
    std::uint32_t number = 0;
    std::memcpy(&number, buffer + first_ + kNumberAt, sizeof number);
    number = __builtin_bswap32(number);
    if (seen_ && (number <= last_ || written != length_)) ++wrong_;
    seen_ = true;
    last_ = number;
    length_ = written;
  }

  std::size_t first_;
  Vring<Smp> ring_;
  std::vector<std::byte> bytes_;
  GuestMemory memory_;
  VringDriver<Smp> driver_;
  EventCounter<Smp> call_;
  WorkList<Smp>* host_thread_ = nullptr;  // where interrupts go, when the thread is shared
  EventCounter<Smp>* kick_ = nullptr;
  Interrupt interrupt_{*this};
  Napi napi_{*this};
  alignas(kCacheLine) Counter<Smp> received_;
  bool seen_ = false;
  std::uint32_t last_ = 0;
  std::uint32_t length_ = 0;
  std::uint64_t wrong_ = 0;
};

// Ring: the PtrRing of tun. batch: packets that the worker takes at once.
template <class Ring>
Outcome run_vhost_net(const Params& params, std::size_t batch) {
  using Smp = smp::Native;
  using Tun = TunLink<Smp, Ring>;
  using Host = VringHost<Smp>;
  using Worker = VhostWorker<Smp, Tun, Host>;
  using Memory = PacketMemory<Smp>;
  constexpr CpuId kGeneratorCpu = 1;
  constexpr CpuId kWorkerCpu = 2;
  constexpr CpuId kCpus = 3;
  // Beyond what the rings hold: the pool's own ring and cache, and a refill.
  constexpr std::size_t kPages = 1536;

  PageArena<Smp> arena{params.size + kPages, HugePages::kTry};
  typename Memory::Pool::Allocator allocator{arena};
  Memory memory{arena};
  DeviceOptions options;
  options.qdisc.cpus = kCpus;
  auto link = std::make_unique<Tun>(memory, std::uint16_t{1}, params.size, kCpus);
  Tun& tun = *link;
  Device<Smp, PtrRing<Smp>> device{options, std::move(link), memory};
  // Stands in for the device's own queue: the worker counts on its CPU number.
  TxQueue<Smp>& tx_queue = const_cast<TxQueue<Smp>&>(device.tx_queue(0));

  VhostGuest guest{params.event_index, Worker::kHeader};
  Host host{guest.ring(), guest.memory(), VhostGuest::kRingAt};
  QDISCSIM_CHECK(host.attach());
  Worker worker{tun, tx_queue, host, guest.call(), kWorkerCpu, {.queue = 0, .batch = batch}};

  QuiescentEpoch<Smp> epoch;
  Cpu<Smp> cpu{kGeneratorCpu};
  typename Memory::Pool pool{
      allocator, {.pool_size = 0, .owner_cpu = kGeneratorCpu, .cpus = kCpus, .node = -1}};
  GeneratorSettings settings;
  settings.count = params.count;
  settings.mode = TransmitMode::kStartXmit;
  Generator<Smp> generator{cpu, device, pool, memory, epoch, settings};

  const bool shared = std::thread::hardware_concurrency() < 3;
  if (shared) guest.share(worker.work_list(), worker.kick());
  RunControl control{params};
  Outcome outcome;
  Nanoseconds sent_at = 0;
  outcome.error = run_together(params, shared ? 2 : 3, control, [&](unsigned who) noexcept {
    if (who == 0) {
      worker.run();
    } else if (who == 2) {
      guest.run(worker.kick(), control);
    } else {
      constexpr std::uint64_t kPacketsPerLook = 1024;
      generator.start();
      while (generator.counters().sent.read() < params.count) {
        generator.step();
        if (generator.counters().sent.read() % kPacketsPerLook == 0 && control.expired()) break;
      }
      generator.finish();
      sent_at = RunControl::Clock::now();
      Wait wait{control};
      while (guest.received() < tun.accepted(0) && !worker.broken() && wait.pause()) {
      }
      control.stop();
      worker.stop();
    }
  });
  if (!outcome.error.empty()) return outcome;

  const std::uint64_t sent = generator.counters().sent.read();
  const std::uint64_t accepted = tun.accepted(0);
  const std::uint64_t dropped = tx_queue.totals().dropped;
  outcome.items = guest.received();
  outcome.seconds = static_cast<double>(sent_at - control.started()) / 1e9;
  const auto mega = [&](std::uint64_t n) { return static_cast<double>(n) / outcome.seconds / 1e6; };
  const auto share =
      static_cast<double>(dropped) / static_cast<double>(std::max<std::uint64_t>(sent, 1));
  outcome.figures = {{"xmit Mpps", mega(accepted)},
                     {"dropped Mpps", mega(dropped)},
                     {"total Mpps", mega(sent)},
                     {"drop share %", 100 * share}};
  if (worker.broken()) {
    outcome.error = "the worker found the vring broken";
  } else if (sent < params.count || guest.received() < accepted) {
    outcome.error = control.time_limit_text();
  } else if (sent != accepted + dropped) {
    outcome.error = "sent " + std::to_string(sent) + " packets, accepted " +
                    std::to_string(accepted) + ", dropped " + std::to_string(dropped);
  } else if (accepted != guest.received() || worker.in_hand() != 0 || tun.posted(0) != 0) {
    outcome.error = "tun accepted " + std::to_string(accepted) + " packets, the guest received " +
                    std::to_string(guest.received());
  } else if (guest.wrong() != 0) {
    outcome.error = std::to_string(guest.wrong()) + " packets wrong or out of order";
  }
  return outcome;
}

}  // namespace qdiscsim::ring_bench
