// Generator: one pktgen thread. Takes a page from its own page_pool, builds an skb, sends it, keeps
// the schedule, and counts.
//
// Threads: run() or step() on the generator's own thread, which owns its Cpu and pool. restart(),
// request_stop() and apply() from the control thread, readings from any. The generator's thread
// never allocates or frees: apply() hands it a ready program and takes the old one back.
//
// Source: linux net/core/pktgen.c, pktgen_xmit(), with the differences named in docs/ (ranges start
// at their minimum; a rate is kept exactly; enqueue_burst).
#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/clock.h"
#include "base/counter.h"
#include "base/latency_recorder.h"
#include "base/quiescence.h"
#include "base/sampler.h"
#include "pktgen/pace_board.h"
#include "pktgen/pacer.h"
#include "pktgen/packet_memory.h"
#include "pktgen/packet_template.h"
#include "pktgen/page_keeper.h"
#include "pktgen/result.h"
#include "pktgen/traffic.h"
#include "qdisc/device.h"

namespace qdiscsim {

enum class TransmitMode : std::uint8_t { kQueueXmit, kStartXmit, kNetifReceive };

struct GeneratorSettings {
  TrafficOptions traffic;
  TransmitMode mode = TransmitMode::kQueueXmit;
  std::uint64_t count = 0;  // packets to send; 0 = until stopped
  Pacer::Period period;     // but for a trace with due times (traffic.replay)
  // When such a trace starts, the same for all threads that share it; 0 = with the run.
  Nanoseconds starts_at = 0;
  std::uint32_t burst = 1;          // copies of one skb in one call; start_xmit, netif_receive
  std::uint32_t enqueue_burst = 1;  // skbs in one queue_xmit_list, at most kMaxList
  std::uint32_t clone_skb = 0;      // times that one skb is sent; start_xmit
  // As the kernel's pktgen where the daemon's generators are better off otherwise: it keeps a
  // reference to each skb until the next (if shared), waits for the last one to come back, delays
  // bursts instead of packets, starts a refused burst anew, and shows the current values.
  bool as_pktgen = false;
  bool shared = true;  // as_pktgen: the flag SHARED
  Leak leak;
  // One in so many packets is timed from when it was due, or built when there is no schedule, until
  // it is on the wire, at random; 0 = none. Not those of which several copies are sent, nor
  // netif_receive and as_pktgen.
  std::uint32_t latency_sample = 0;
};

// Settings with what was prepared from them: made by the control thread, used by the generator.
struct GeneratorProgram {
  explicit GeneratorProgram(const GeneratorSettings& wanted);

  // Brings the packet up to the traffic's current fields.
  void rebuild() noexcept;

  GeneratorSettings settings;
  Traffic traffic;
  PacketTemplate packet;
  const std::uint32_t latency_sample;  // of the settings; 0 where none can be timed
  const bool looks_at_packets;         // there is more to do with each that is built: built()
  GeneratorProgram* next = nullptr;    // list of retired ones
};

// What the packet built last looks like, shown by a generator that runs as_pktgen.
template <class Smp>
struct CurrentValues {
  void show(const Traffic& traffic) noexcept;
  void show_frame(const FrameFields& now) noexcept;
  PacketFields fields() const noexcept;
  FrameFields frame() const noexcept;

  typename Smp::template atomic<std::uint32_t> size{};
  typename Smp::template atomic<std::uint64_t> addresses{};  // source << 32 | destination
  typename Smp::template atomic<std::uint64_t> ports{};      // queue, source port, destination port
  typename Smp::template atomic<std::uint64_t> flows{};      // begun
  // PacketFields::frame, when it varies.
  typename Smp::template atomic<std::uint64_t> macs{};  // source << 32 | destination
  typename Smp::template atomic<std::uint32_t> tags{};  // svlan_id << 16 | vlan_id
  std::array<typename Smp::template atomic<std::uint32_t>, kMostLabels> mpls{};
  std::array<typename Smp::template atomic<std::uint32_t>, 3> destination6{};
  // Packets built of each imix entry.
  std::array<Counter<Smp>, Traffic::kMostImix> imix{};
};

// Written by the generator, read by anyone.
template <class Smp>
struct alignas(kCacheLine) GeneratorCounters {
  Counter<Smp> offered;
  Counter<Smp> sent;
  Counter<Smp> sent_bytes;
  Counter<Smp> errors;
  Counter<Smp> no_memory;
  Counter<Smp> waits;  // turns that came to nothing: a busy driver, no memory, waiting for others
  // Due time of the next packet on the schedule; 0 = none (no rate, or not running).
  typename Smp::template atomic<Nanoseconds> due{};
  typename Smp::template atomic<Nanoseconds> most_behind{};
  typename Smp::template atomic<bool> running{};
  // Of the present run, for its Result line.
  typename Smp::template atomic<Nanoseconds> started_at{};
  typename Smp::template atomic<Nanoseconds> stopped_at{};  // 0 while it runs
  typename Smp::template atomic<std::uint64_t> sent_before{};
  typename Smp::template atomic<std::uint64_t> bytes_before{};
  typename Smp::template atomic<std::uint64_t> errors_before{};
  typename Smp::template atomic<std::uint64_t> idle_before{};
  typename Smp::template atomic<std::uint32_t> last_size{};
  typename Smp::template atomic<bool> mixed_sizes{};
  Counter<Smp> idle_ns;
  typename Smp::template atomic<bool> holds_skb{true};  // when the run ended
  CurrentValues<Smp> current;
};

struct GeneratorOrders {
  // A request made by the control thread, with what it wrote before.
  static constexpr smp::order request = smp::release;   // partner: notice
  static constexpr smp::order notice = smp::acquire;    // partner: request
  static constexpr smp::order handover = smp::acq_rel;  // partner: notice, on either side
  static constexpr smp::order glance = smp::relaxed;    // nothing is read through it
  // A run's end, with all that was counted in it.
  static constexpr smp::order end = smp::release;     // partner: result
  static constexpr smp::order result = smp::acquire;  // partner: end
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
  // Packets between two looks at the pace board.
  static constexpr std::uint32_t kStepsPerLook = 8;
  // Waits below this spin, as in pktgen; longer ones sleep.
  static constexpr Nanoseconds kSpinBelow = 100 * kMicrosecond;
  // A sleeping generator looks for requests this often.
  static constexpr Nanoseconds kNap = 20 * kMillisecond;

  // All arguments outlive the generator. The pool belongs to cpu.
  Generator(Cpu<Smp>& cpu, NetDevice<Smp>& device, Pool& pool, Memory& memory,
            const QuiescentEpoch<Smp>& epoch, const GeneratorSettings& settings)
      : cpu_{cpu},
        device_{device},
        pool_{pool},
        memory_{memory},
        epoch_{epoch},
        needs_poll_{device.needs_poll()} {
    sampler_.seed(cpu.id());
    restart(settings);
  }
  // What its leak keeps goes home: the pool must still be there, and every packet at home.
  ~Generator() {
    collect(pending_.load(GeneratorOrders::notice), program_);
    keeper_.let_go(cpu_.id());
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // Before run(): keeps this generator in step with the others of its wire.
  void keep_pace(PaceBoard<Smp>& board) noexcept {
    board.add(counters_.due);
    board_ = &board;
  }

  // Sends until request_stop(); once the count or the end of a trace is reached it only waits for
  // that. On return all
  // that was on this CPU's softirq list has run. May be called again, after restart().
  void run() noexcept;

  // Before a further run(), from the control thread. Counters go on, the result starts anew.
  void restart(const GeneratorSettings& settings) {
    auto* program = new GeneratorProgram{settings};
    stop_.store(false, GeneratorOrders::request);
    counters_.stopped_at.store(0, smp::relaxed);
    collect(pending_.exchange(nullptr, GeneratorOrders::notice), program_);
    program_ = program;
  }

  // One turn of run(), for tests that hold the clock: sends what is due. False: nothing was due.
  bool step() noexcept;
  void start() noexcept;
  void finish() noexcept;

  void request_stop() noexcept { stop_.store(true, GeneratorOrders::request); }
  // Takes effect at the next packet; the schedule and the result start anew, counters go on.
  void apply(const GeneratorSettings& settings) {
    auto* program = new GeneratorProgram{settings};
    collect(pending_.exchange(program, GeneratorOrders::handover), nullptr);
  }

  const GeneratorCounters<Smp>& counters() const noexcept { return counters_; }
  // Any thread.
  Recording latency() const { return latency_.read(); }
  const PageKeeper<Smp, Pool>& keeper() const noexcept { return keeper_; }
  GeneratorCounters<Smp>& counters_for_test() noexcept { return counters_; }
  // Ran and reached its count, or was stopped, and has nothing new to do. Any thread.
  bool done() const noexcept {
    return pending_.load(GeneratorOrders::notice) == nullptr &&
           counters_.stopped_at.load(GeneratorOrders::result) != 0;
  }
  // Of the last run, or of the present one so far. Any thread.
  RunResult result() const noexcept;

 private:
  void take_program() noexcept;
  // Control thread: frees the programs given and those that the generator has retired.
  void collect(GeneratorProgram* one, GeneratorProgram* another) noexcept;
  void wait_until(Nanoseconds due) noexcept;
  void nap(Nanoseconds ns) noexcept;
  void run_all_softirqs() noexcept;
  const GeneratorSettings& settings() const noexcept { return program_->settings; }
  void mark_start(Nanoseconds now) noexcept;
  void mark_stop() noexcept;
  std::uint64_t sofar() const noexcept {
    return counters_.sent.read() - counters_.sent_before.load(smp::relaxed);
  }
  // The count, or the end of a trace: a trace with an end has a count.
  bool reached_count() const noexcept {
    return settings().count != 0 && (sofar() >= settings().count ||
                                     (program_->traffic.replay().ended() && shared_ == nullptr));
  }

  static constexpr std::size_t kMaxList = 64;
  std::uint64_t list_length() const noexcept;
  void follow_trace() noexcept;
  Packet* build() noexcept;
  [[gnu::noinline, gnu::cold]] void consider_timing(Packet* skb) noexcept;
  [[gnu::noinline]] void built(Packet* skb) noexcept;
  void keep_in_step() noexcept;
  void send_one() noexcept;
  void send_list() noexcept;
  void send_shared() noexcept;
  void send_as_pktgen() noexcept;
  bool prepare_as_pktgen() noexcept;
  void hand_over_as_pktgen(std::uint32_t copies) noexcept;
  // Copies of one skb: what the device will send, what is no longer ours, what went wrong.
  struct Handed {
    std::uint32_t sent;
    std::uint32_t consumed;
    std::uint32_t errors;
  };
  [[gnu::always_inline]] inline Handed hand_over(Packet* skb, std::uint32_t copies) noexcept;
  [[gnu::always_inline]] inline void count(const Handed& handed, std::uint32_t bytes) noexcept;
  void wait_for_skb() noexcept;
  void release_shared() noexcept;
  void after_send(std::uint64_t accepted, std::uint64_t lost) noexcept;

  Cpu<Smp>& cpu_;
  NetDevice<Smp>& device_;
  Pool& pool_;
  Memory& memory_;
  const QuiescentEpoch<Smp>& epoch_;
  const bool needs_poll_;  // the link completes by time
  const PaceBoard<Smp>* board_ = nullptr;

  GeneratorProgram* program_ = nullptr;
  Pacer pacer_{Pacer::Period{}};
  Packet* shared_ = nullptr;  // start_xmit, netif_receive: the skb being sent several times
  std::uint32_t shared_left_ = 0;
  std::uint32_t clones_ = 0;  // as_pktgen: times that shared_ was sent
  bool last_ok_ = true;       // whether the last start_xmit that the driver did not drop succeeded
  std::uint32_t sequence_ = 1;
  std::uint32_t losses_ = 0;
  std::uint32_t steps_ = 0;
  Nanoseconds wall_offset_ = 0;   // wall time minus Smp::now()
  Nanoseconds replay_start_ = 0;  // of a trace with due times
  PageKeeper<Smp, Pool> keeper_;
  Sampler sampler_;  // of the packets to be timed

  GeneratorCounters<Smp> counters_;
  // Of whoever completes its packets: many writers, which is why only samples are recorded.
  typename Memory::Recorder latency_;
  alignas(kCacheLine) typename Smp::template atomic<bool> stop_{};
  typename Smp::template atomic<GeneratorProgram*> pending_{};
  typename Smp::template atomic<GeneratorProgram*> retired_{};  // a stack
};

}  // namespace qdiscsim

#include "pktgen/generator_impl.h"
#include "pktgen/generator_replay.h"
#include "pktgen/generator_shared.h"
