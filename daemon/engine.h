// Engine: a configuration turned into running threads: the data plane of the daemon.
//
// CPU numbers: 0 the control thread, 1 the completion thread of all wires; then, device by device,
// the vhost workers of a vhost_net link and the threads of `drain: dedicated`, one for each queue;
// then the generators; last those of pktgen's control files (daemon/pktgen_backend.h).
//
// Threads: start(), reload() and stop() from the control thread; snapshot(), finished(),
// find_device() and job_thread() from any. Errors: the constructor and start() throw std::exception
// with one line that names the thing and the way out (memory, CPU affinity, threads). A reload that
// cannot be done changes nothing and says why.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "config/config.h"
#include "daemon/capture.h"
#include "daemon/generator_thread.h"
#include "daemon/net_namespace.h"
#include "daemon/source.h"
#include "daemon/vhost_net.h"
#include "pagepool/page_arena.h"
#include "pktgen/packet_memory.h"
#include "qdisc/device.h"
#include "qdisc/queue_stalls.h"
#include "qdisc/queue_watch.h"
#include "qdisc/tap_link.h"

namespace qdiscsim {

class Engine final : public DataPlane {
 public:
  using Smp = smp::Native;

  // Generator threads that reloads may add beyond the first configuration.
  static constexpr std::uint32_t kSpareThreads = 64;
  // How long stop() waits for what is queued to leave; the rest stays in the account as backlog.
  static constexpr Nanoseconds kDrainTime = kSecond;

  explicit Engine(const config::Config& config);
  ~Engine() override;

  void start() override;
  ReloadOutcome reload(const config::Config& config) override;
  ReloadOutcome set_up(const std::string& device, bool up) override;
  ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                      std::chrono::milliseconds time) override;
  void stop() override;
  std::vector<std::string> watch() override;
  // The part of watch() that looks after the pools of generators that went; time is handed in.
  std::vector<std::string> retry_teardowns(Nanoseconds now);
  bool finished() const override;
  Snapshot snapshot() const override;

  // The configuration of a device; nothing when there is none of this name.
  std::optional<config::Device> find_device(std::string_view name) const;
  // The generator with the label THREAD/FILE: new, or the one of an earlier job of the same label,
  // whose counters go on. Valid as long as the engine; the caller starts, stops and retires it, and
  // leaves none running behind. Only between start() and stop(). Throws std::runtime_error when
  // there is no room for another one.
  GeneratorThread& job_thread(const std::string& thread, const std::string& file,
                              const std::string& device, const GeneratorSettings& settings);

 private:
  struct Tap {           // where the packets of a tap link go
    TapLink<Smp>* link;  // the device's
    std::shared_ptr<const NetNamespace> space;
    std::string interface;
    bool told = false;  // of the first packet that was not taken
  };
  struct DeviceEntry {
    std::string name;
    bool dedicated;
    std::vector<std::uint32_t> drain_cpus;
    std::unique_ptr<NetDevice<Smp>> device;
    std::unique_ptr<PaceBoard<Smp>> board = nullptr;  // of a wire; else null
    std::unique_ptr<VhostNet> vhost = nullptr;        // of a vhost_net link; else null
    std::unique_ptr<Tap> tap = nullptr;               // of a tap link; else null
    std::unique_ptr<Capture> capture = nullptr;       // of a device that has one; else null
    std::unique_ptr<QueueWatch<Smp>> watch = nullptr;
    std::unique_ptr<QueueStalls<Smp>> stalls = nullptr;
    std::string kernel_bugs = {};  // those that are set, for messages
    // By queue, in nanoseconds: the stopped time shown last. A reading during a stop can be ahead
    // of the wake's own clock reading, and a counter must not go back.
    mutable std::vector<Nanoseconds> stopped_shown = {};
  };
  struct ServiceThread {  // completes wires, or drains a queue
    explicit ServiceThread(CpuId id) : cpu{id} {}
    Cpu<Smp> cpu;
    std::thread thread;
  };

  void add_device(const config::Device& device);
  void make_device(const config::Device& device, DeviceEntry& entry);
  void make_tap(const config::Device& device, DeviceEntry& entry, CaptureBuffer<Smp>* capture);
  static std::string new_trouble(const std::string& device, Tap& tap);
  DeviceEntry& entry(const std::string& name);
  GeneratorThread* find_thread(const std::string& group, std::uint32_t index);
  // With its pool, and in step with the others of its wire.
  std::unique_ptr<GeneratorThread> make_thread(const std::string& group, const std::string& name,
                                               std::uint32_t index, const std::string& device,
                                               CpuId cpu, const config::PagePool& pool,
                                               const GeneratorSettings& settings);
  GeneratorThread& add_thread(const config::GeneratorGroup& group, std::uint32_t index);
  static Nanoseconds replay_start();
  static void show_pace(const config::GeneratorGroup& group, GeneratorThread& thread);
  GeneratorSettings settings_of(const config::Config& config, const config::GeneratorGroup& group,
                                std::uint32_t index) const;

  void completion_loop(Cpu<Smp>& cpu) noexcept;
  void drain_loop(Cpu<Smp>& cpu, NetDevice<Smp>& device, std::uint16_t queue) noexcept;
  void wait_until_drained() const;
  void cure_kernel_bugs();
  void send_pages_home();
  void grace_period() noexcept;

  std::uint64_t leaked_beyond(const config::Config& config) const;
  std::uint64_t pages_with_jobs(const config::Config& config, std::size_t jobs) const;
  std::size_t running_jobs() const;
  std::string cannot_apply(const config::Config& next) const;
  void apply_devices(const config::Config& next);
  void apply_generators(const config::Config& next);

  void read_device(const DeviceEntry& entry, Snapshot& out) const;
  static void read_stalls(const DeviceEntry& entry, Nanoseconds now, QueueSnapshot& out);
  void read_generator(const GeneratorThread& thread, Snapshot& out) const;

  mutable std::mutex mutex_;  // the lists below: a snapshot against a reload
  config::Config config_;
  std::uint32_t cpus_;         // CPU numbers in all
  CpuId first_job_cpu_;        // from here on to the end; the end when there are no control files
  CpuId first_generator_cpu_;  // those before it are taken by services and vhost workers
  PageArena<Smp> arena_;
  PacketMemory<Smp>::Pool::Allocator allocator_;
  PacketMemory<Smp> memory_;
  QuiescentEpoch<Smp> epoch_;
  Cpu<Smp> control_{0};
  PoolLife::Ids pool_ids_;
  std::vector<std::string> teardown_warnings_;  // of the last reload, for watch()
  std::vector<DeviceEntry> devices_;
  std::vector<std::unique_ptr<ServiceThread>> services_;
  // In order of CPU number. A thread that ended stays, so that its counters and series do; its pool
  // is destroyed as the kernel would (daemon/pool_life.h) and used again when it comes back.
  std::vector<std::unique_ptr<GeneratorThread>> generators_;
  std::vector<std::unique_ptr<GeneratorThread>> jobs_;  // the same, of the control files
  Smp::atomic<bool> stop_services_{false};
  bool started_ = false;
  bool stopped_ = false;
  mutable Smp::atomic<std::uint64_t> account_violations_{0};
};

}  // namespace qdiscsim
