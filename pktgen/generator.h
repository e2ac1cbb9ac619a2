// Generator: one pktgen thread. Takes a page from its own page_pool, builds an skb, sends it, keeps
// the schedule, and counts.
//
// Threads: run() or step() on the generator's own thread, which owns its Cpu and pool.
// request_stop(), apply() and the readings from the control or scrape thread. No memory is
// allocated while packets flow; apply() hands over settings that the control thread made. Source:
// linux net/core/pktgen.c, pktgen_xmit(), with the differences named in docs/ (ranges start at
// their minimum; a rate is kept exactly; enqueue_burst).
#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/clock.h"
#include "base/counter.h"
#include "base/quiescence.h"
#include "pktgen/pacer.h"
#include "pktgen/packet_memory.h"
#include "pktgen/packet_template.h"
#include "pktgen/result.h"
#include "pktgen/traffic.h"
#include "qdisc/device.h"

namespace qdiscsim {

enum class TransmitMode : std::uint8_t { kQueueXmit, kStartXmit, kNetifReceive };

struct GeneratorSettings {
  TrafficOptions traffic;
  TransmitMode mode = TransmitMode::kQueueXmit;
  std::uint64_t count = 0;  // packets to send; 0 = until stopped
  Pacer::Period period;
  std::uint32_t burst = 1;          // copies of one skb in one call; start_xmit, netif_receive
  std::uint32_t enqueue_burst = 1;  // skbs in one queue_xmit_list, at most kMaxList
  std::uint32_t clone_skb = 0;      // times that one skb is sent; start_xmit
};

// Written by the generator, read by anyone.
template <class Smp>
struct alignas(kCacheLine) GeneratorCounters {
  Counter<Smp> offered;
  Counter<Smp> sent;
  Counter<Smp> sent_bytes;
  Counter<Smp> errors;
  Counter<Smp> no_memory;
  // Due time of the next packet on the schedule; 0 = none (no rate, or not running).
  typename Smp::template atomic<Nanoseconds> due{};
  typename Smp::template atomic<Nanoseconds> most_behind{};
  typename Smp::template atomic<bool> running{};
};

struct GeneratorOrders {
  // A request made by the control thread, with what it wrote before.
  static constexpr smp::order request = smp::release;  // partner: notice
  static constexpr smp::order notice = smp::acquire;   // partner: request
  static constexpr smp::order glance = smp::relaxed;   // nothing is read through it
};

template <class Smp>
class Generator {
 public:
  using Memory = PacketMemory<Smp>;
  using Pool = typename Memory::Pool;
  using Packet = Skb<Smp>;

  // Losing this many packets in a row means that whoever drains is not running: with more threads
  // than cores the core is worth more to it.
  static constexpr std::uint32_t kLossesPerYield = 32;
  // Waits below this spin, as in pktgen; longer ones sleep.
  static constexpr Nanoseconds kSpinBelow = 100 * kMicrosecond;
  // A sleeping generator looks for requests this often.
  static constexpr Nanoseconds kNap = 20 * kMillisecond;

  // All arguments outlive the generator. The pool belongs to cpu.
  Generator(Cpu<Smp>& cpu, NetDevice<Smp>& device, Pool& pool, Memory& memory,
            const QuiescentEpoch<Smp>& epoch, const GeneratorSettings& settings)
      : cpu_{cpu}, device_{device}, pool_{pool}, memory_{memory}, epoch_{epoch} {
    adopt(settings);
  }

  // Sends until request_stop() or the count is reached and a stop follows. On return all that was
  // on this CPU's softirq list has run.
  void run() noexcept;

  // One turn of run(), for tests that hold the clock: sends what is due. False: nothing was due.
  bool step() noexcept;
  void start() noexcept;
  void finish() noexcept;

  void request_stop() noexcept { stop_.store(true, GeneratorOrders::request); }
  // Takes effect at the next packet; the schedule restarts, counters go on. The settings must live
  // until a grace period after the call.
  void apply(const GeneratorSettings* settings) noexcept {
    pending_.store(settings, GeneratorOrders::request);
  }

  const GeneratorCounters<Smp>& counters() const noexcept { return counters_; }
  GeneratorCounters<Smp>& counters_for_test() noexcept { return counters_; }
  // Only while the generator's thread is not running.
  RunResult result() const noexcept;
  // For a running one: elapsed up to now, idle as last published.
  RunResult result_at(Nanoseconds now) const noexcept;

 private:
  void adopt(const GeneratorSettings& settings);
  void take_request() noexcept;
  void wait_until(Nanoseconds due) noexcept;
  void nap(Nanoseconds ns) noexcept;
  bool reached_count() const noexcept {
    return settings_.count != 0 && counters_.sent.read() - sent_before_ >= settings_.count;
  }

  Packet* build(Nanoseconds due) noexcept;
  void send_one() noexcept;
  void send_list() noexcept;
  void send_shared() noexcept;
  void release_shared() noexcept;
  void after_send(std::uint64_t accepted, std::uint64_t lost) noexcept;

  Cpu<Smp>& cpu_;
  NetDevice<Smp>& device_;
  Pool& pool_;
  Memory& memory_;
  const QuiescentEpoch<Smp>& epoch_;

  GeneratorSettings settings_;
  std::unique_ptr<Traffic> traffic_;
  std::unique_ptr<PacketTemplate> template_;
  Pacer pacer_{Pacer::Period{}};
  bool stamped_ = true;       // skbs carry a time
  Packet* shared_ = nullptr;  // start_xmit, netif_receive: the skb being sent several times
  std::uint32_t shared_left_ = 0;
  std::uint32_t sequence_ = 1;
  std::uint32_t losses_ = 0;
  std::uint32_t last_size_ = 0;
  std::uint64_t sent_before_ = 0;
  Nanoseconds wall_offset_ = 0;  // wall time minus Smp::now()
  Nanoseconds started_at_ = 0;
  Nanoseconds stopped_at_ = 0;

  GeneratorCounters<Smp> counters_;
  Counter<Smp> idle_ns_;
  alignas(kCacheLine) typename Smp::template atomic<bool> stop_{};
  typename Smp::template atomic<const GeneratorSettings*> pending_{};
};

}  // namespace qdiscsim

#include "pktgen/generator_impl.h"
