#include "daemon/engine.h"

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "config/pages.h"
#include "daemon/translate.h"

namespace qdiscsim {
namespace {

using Smp = Engine::Smp;

// The completion thread looks at a busy wire at most this often, and at an idle one this often: a
// packet posted to an idle wire is completed this late at worst. Line rate does not depend on it.
constexpr Nanoseconds kInterruptModeration = 250 * kMicrosecond;
constexpr Nanoseconds kIdleTick = kMillisecond;

constexpr CpuId kCompletionCpu = 1;
constexpr CpuId kFirstDeviceCpu = 2;

HugePages huge_pages_of(config::HugePages wanted) {
  switch (wanted) {
    case config::HugePages::kNever:
      return HugePages::kNever;
    case config::HugePages::kTry:
      return HugePages::kTry;
    case config::HugePages::kRequire:
      return HugePages::kRequire;
  }
  return HugePages::kTry;
}

// As many labels as control files may ever have given to devices: scripts use the same ones again.
std::uint32_t count_jobs(const config::Config& config) {
  if (config.pktgen.control_fs.empty()) return 0;
  return Engine::kSpareThreads + pktgen_threads(config.pktgen);
}

std::uint32_t count_cpus(const config::Config& config) {
  std::uint32_t cpus = kFirstDeviceCpu + Engine::kSpareThreads + count_jobs(config);
  for (const config::Device& device : config.devices) {
    if (device.drain == config::Drain::kDedicated) cpus += device.queues;
    if (device.link.kind == config::LinkKind::kVhostNet) cpus += device.queues;
  }
  for (const config::GeneratorGroup& group : config.generators) cpus += group.threads;
  return cpus;
}

}  // namespace

Engine::Engine(const config::Config& config)
    : config_{config},
      cpus_{count_cpus(config)},
      first_job_cpu_{cpus_ - count_jobs(config)},
      first_generator_cpu_{kFirstDeviceCpu},
      arena_{config::arena_pages(config), huge_pages_of(config.memory.huge_pages)},
      allocator_{arena_},
      memory_{arena_} {
  TscClock::calibrate();
  services_.push_back(std::make_unique<ServiceThread>(kCompletionCpu));
  for (const config::Device& device : config.devices) add_device(device);
  for (const config::GeneratorGroup& group : config.generators) {
    for (std::uint32_t i = 0; i < group.threads; ++i) add_thread(group, i);
  }
}

Engine::~Engine() {
  stop();
  send_pages_home();
}

Engine::DeviceEntry& Engine::entry(const std::string& name) {
  return *std::find_if(devices_.begin(), devices_.end(),
                       [&](const DeviceEntry& entry) { return entry.name == name; });
}

GeneratorThread* Engine::find_thread(const std::string& group, std::uint32_t index) {
  const auto found = std::find_if(generators_.begin(), generators_.end(), [&](const auto& thread) {
    return thread->group() == group && thread->index() == index;
  });
  return found == generators_.end() ? nullptr : found->get();
}

GeneratorSettings Engine::settings_of(const config::Config& config,
                                      const config::GeneratorGroup& group,
                                      std::uint32_t index) const {
  return generator_settings(group, *config::find_device(config, group.device), index, config.seed);
}

std::unique_ptr<GeneratorThread> Engine::make_thread(const std::string& group,
                                                     const std::string& name, std::uint32_t index,
                                                     const std::string& device, CpuId cpu,
                                                     const config::PagePool& pool,
                                                     const GeneratorSettings& settings) {
  DeviceEntry& used = entry(device);
  auto thread = std::make_unique<GeneratorThread>(group, name, index, device, cpu, cpus_,
                                                  *used.device, allocator_, memory_, epoch_, pool,
                                                  pool_ids_, config_.kernel, settings);
  if (used.board != nullptr) thread->keep_pace(*used.board);
  return thread;
}

void Engine::show_pace(const config::GeneratorGroup& group, GeneratorThread& thread) {
  thread.configured_pps = configured_pps(group, thread.index());
  thread.keeps_gaps =
      group.traffic.trace != nullptr && group.traffic.speed.kind == config::SpeedKind::kFactor;
}

GeneratorThread& Engine::add_thread(const config::GeneratorGroup& group, std::uint32_t index) {
  const CpuId cpu = first_generator_cpu_ + static_cast<CpuId>(generators_.size());
  QDISCSIM_CHECK(cpu < first_job_cpu_);
  generators_.push_back(make_thread(group.name, std::to_string(index), index, group.device, cpu,
                                    group.page_pool, settings_of(config_, group, index)));
  show_pace(group, *generators_.back());
  return *generators_.back();
}

// All captures that are started together keep one time. It lies so far ahead that every thread,
// even one that sleeps, is there before its first packet is due.
Nanoseconds Engine::replay_start() {
  return Smp::now() + 2 * Generator<Smp>::kNap;
}

void Engine::start() {
  const std::lock_guard guard{mutex_};
  started_ = true;
  services_[0]->thread = std::thread{[this] { completion_loop(services_[0]->cpu); }};
  dress_thread(services_[0]->thread, "completion", {});
  std::size_t service = 1;
  for (DeviceEntry& entry : devices_) {
    if (entry.capture != nullptr) entry.capture->start();
    if (entry.vhost != nullptr) entry.vhost->start(entry.name);
    if (!entry.dedicated) continue;
    for (std::uint16_t queue = 0; queue < entry.device->queue_count(); ++queue, ++service) {
      ServiceThread& drain = *services_[service];
      drain.thread = std::thread{
          [this, &drain, &entry, queue] { drain_loop(drain.cpu, *entry.device, queue); }};
      std::vector<std::uint32_t> allowed;
      if (!entry.drain_cpus.empty()) {
        allowed.push_back(entry.drain_cpus[queue % entry.drain_cpus.size()]);
      }
      dress_thread(drain.thread, entry.name + "/" + std::to_string(queue), allowed);
    }
  }
  const Nanoseconds at = replay_start();
  for (const config::GeneratorGroup& group : config_.generators) {
    if (!group.enabled) continue;
    for (std::uint32_t i = 0; i < group.threads; ++i) {
      GeneratorSettings settings = settings_of(config_, group, i);
      settings.starts_at = at;
      find_thread(group.name, i)->start(settings, allowed_cpus(group, i));
    }
  }
}

void Engine::completion_loop(Cpu<Smp>& cpu) noexcept {
  prctl(PR_SET_TIMERSLACK, 1UL);
  while (!stop_services_.load(smp::acquire)) {
    cpu.quiescence.go_online(epoch_);
    const Nanoseconds now = Smp::now();
    Nanoseconds next = Link<Smp>::kNever;
    for (DeviceEntry& entry : devices_) {
      entry.stalls->look(cpu, now);
      cpu.run_softirqs();
      if (!entry.device->needs_poll()) continue;
      entry.device->poll(cpu, now);
      cpu.run_softirqs();
      next = std::min(next, entry.device->next_interrupt());
    }
    cpu.quiescence.go_offline();
    // What keeps rescheduling itself comes again as ksoftirqd would have it, not instead of the
    // completions that it waits for.
    if (cpu.softirq_pending()) continue;
    const Nanoseconds wait = next > now && next != Link<Smp>::kNever ? next - now : 0;
    Smp::sleep(next == Link<Smp>::kNever ? kIdleTick
                                         : std::clamp(wait, kInterruptModeration, kIdleTick));
  }
  cpu.quiescence.go_online(epoch_);
  while (cpu.softirq_pending()) cpu.run_softirqs();
  cpu.quiescence.go_offline();
}

void Engine::drain_loop(Cpu<Smp>& cpu, NetDevice<Smp>& device, std::uint16_t queue) noexcept {
  cpu.quiescence.go_online(epoch_);
  Smp::Spinner spinner;
  while (!stop_services_.load(smp::acquire)) {
    cpu.quiescence.quiescent(epoch_);
    const bool worked = device.drain(cpu, queue);
    const bool polled = device.needs_poll() && device.poll(cpu, Smp::now());
    cpu.run_softirqs();
    if (!worked && !polled) spinner.pause();
  }
  while (cpu.softirq_pending()) cpu.run_softirqs();
  cpu.quiescence.go_offline();
}

void Engine::grace_period() noexcept {
  std::vector<QuiescentReader<Smp>*> readers;
  for (const auto& service : services_) readers.push_back(&service->cpu.quiescence);
  for (const auto& thread : generators_) readers.push_back(&thread->cpu().quiescence);
  {
    // A job that comes later starts outside every section, as one that sleeps.
    const std::lock_guard guard{mutex_};
    for (const auto& thread : jobs_) readers.push_back(&thread->cpu().quiescence);
  }
  epoch_.synchronize(readers);
}

void Engine::wait_until_drained() const {
  const Nanoseconds deadline = monotonic_ns() + kDrainTime;
  while (monotonic_ns() < deadline) {
    bool empty = true;
    for (const DeviceEntry& entry : devices_) {
      empty = empty && !entry.stalls->any();
      for (std::uint32_t i = 0; i < entry.device->qdisc_count(); ++i) {
        const QueueAccount account = entry.device->account(i, false);
        empty = empty && account.posted == 0 && account.requeue_packets == 0;
        for (const BandAccount& band : account.bands) empty = empty && band.ring_packets == 0;
      }
    }
    if (empty) return;
    Smp::sleep(kMillisecond);
  }
}

std::vector<std::string> Engine::watch() {
  std::vector<std::string> lines;
  for (DeviceEntry& entry : devices_) {
    for (std::string& line : entry.watch->look(Smp::now(), entry.kernel_bugs)) {
      lines.push_back(std::move(line));
    }
    if (entry.tap != nullptr) {
      if (std::string line = new_trouble(entry.name, *entry.tap); !line.empty()) {
        lines.push_back(std::move(line));
      }
    }
    if (entry.capture == nullptr) continue;
    for (std::string& line : entry.capture->news()) lines.push_back(std::move(line));
  }
  for (std::string& line : retry_teardowns(Smp::now())) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> Engine::retry_teardowns(Nanoseconds now) {
  std::vector<std::string> lines = std::exchange(teardown_warnings_, {});
  const std::lock_guard guard{mutex_};  // jobs come from other threads
  for (const auto* threads : {&generators_, &jobs_}) {
    for (const auto& thread : *threads) {
      for (const std::string& warning : thread->pool_life().retry(now)) {
        lines.push_back(thread->label() + ": " + warning);
      }
    }
  }
  return lines;
}

// Softirqs that spin would keep their threads from ending.
void Engine::cure_kernel_bugs() {
  for (DeviceEntry& entry : devices_) entry.device->set_kernel_bugs({});
}

void Engine::stop() {
  if (!started_ || stopped_) return;
  cure_kernel_bugs();
  for (const auto& thread : generators_) thread->request_stop();
  for (const auto& thread : generators_) thread->stop();
  for (const auto& thread : jobs_) thread->stop();
  for (const DeviceEntry& entry : devices_) entry.stalls->end_all();
  wait_until_drained();
  stop_services_.store(true, smp::release);
  for (const auto& service : services_) {
    if (service->thread.joinable()) service->thread.join();
  }
  for (const DeviceEntry& entry : devices_) {
    if (entry.vhost != nullptr) entry.vhost->stop();
    if (entry.capture != nullptr) entry.capture->stop();
  }
  const std::lock_guard guard{mutex_};
  stopped_ = true;
}

// Only before the pools go: the last snapshot has been taken.
void Engine::send_pages_home() {
  for (DeviceEntry& entry : devices_) {
    const auto no_grace = [](void*) {};
    entry.device->deactivate(control_, no_grace, nullptr);
    entry.device->flush_rings(control_);
    if (entry.vhost != nullptr) entry.vhost->discard_rest();
  }
}

bool Engine::finished() const {
  const std::lock_guard guard{mutex_};
  const bool counted =
      std::any_of(config_.generators.begin(), config_.generators.end(), config::has_end);
  return started_ && counted &&
         std::none_of(generators_.begin(), generators_.end(), [](const auto& thread) {
           return thread->running() && !thread->generator().done();
         });
}

}  // namespace qdiscsim
