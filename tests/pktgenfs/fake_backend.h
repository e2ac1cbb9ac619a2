// A machine below the control files that exists in virtual time only: each job is a real Generator
// on a device that answers as it is told; time passes while somebody waits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pktgenfs/backend.h"
#include "pktgenfs/progress.h"
#include "tests/pktgen/fake_device.h"

namespace qdiscsim::test {

class FakeBackend final : public pktgenfs::Backend {
 public:
  using Smp = smp::NativeManual;

  struct Job {
    explicit Job(const pktgenfs::JobRequest& asked)
        : request{asked}, generator{cpu, device, pool, memory, epoch, asked.settings} {
      generator.start();
    }

    pktgenfs::JobRequest request;
    PageArena<Smp> arena{128, HugePages::kNever};
    PacketMemory<Smp>::Pool::Allocator allocator{arena};
    PacketMemory<Smp> memory{arena};
    PacketMemory<Smp>::Pool pool{allocator, {.pool_size = 64, .owner_cpu = 0, .cpus = 1}};
    FakeDevice<Smp> device{memory};
    QuiescentEpoch<Smp> epoch;
    Cpu<Smp> cpu{0};
    Generator<Smp> generator;
    pktgenfs::JobStart<Smp> began{generator.counters()};
    bool stop = false;
  };

  FakeBackend() { ManualClock::set(kSecond); }

  // ---- what a test sets ----
  std::uint32_t cpus = 2;
  std::map<std::string, pktgenfs::Interface, std::less<>> interfaces{{"eth0", usual()}};
  Nanoseconds a_packet = kMicrosecond;  // what one turn of all jobs takes
  std::function<void(Job&)> on_start = [](Job&) {};
  std::function<void()> on_wait = [] {};
  std::string refusal;  // not empty: no job starts

  // ---- what it sees ----
  std::map<JobId, std::unique_ptr<Job>> jobs;  // not released yet
  std::vector<pktgenfs::JobRequest> started;

  static pktgenfs::Interface usual() {
    pktgenfs::Interface interface;
    interface.tx_queues = 4;
    interface.mac = {2, 0, 0, 0, 0, 1};
    interface.ipv4 = 0x0a000063;
    return interface;
  }

  std::uint32_t threads() const override { return cpus; }
  std::optional<pktgenfs::Interface> find_interface(std::string_view name) const override {
    const auto found = interfaces.find(name);
    if (found == interfaces.end()) return std::nullopt;
    return found->second;
  }

  JobId start(const pktgenfs::JobRequest& request) override {
    if (!refusal.empty()) throw std::runtime_error{refusal};
    started.push_back(request);
    auto job = std::make_unique<Job>(request);
    on_start(*job);
    jobs[++last_id_] = std::move(job);
    return last_id_;
  }
  void request_stop(JobId id) override { jobs.at(id)->stop = true; }
  pktgenfs::JobProgress progress(JobId id) const override {
    return pktgenfs::progress_of(jobs.at(id)->generator, jobs.at(id)->began);
  }
  void release(JobId id) override {
    jobs.at(id)->generator.finish();
    jobs.erase(id);
  }

  void wait(Nanoseconds at_most) override {
    on_wait();
    const Nanoseconds end = ManualClock::now() + at_most;
    while (ManualClock::now() < end) {
      for (auto& [id, job] : jobs) {
        if (!turn(*job)) return;
      }
      ManualClock::advance(jobs.empty() ? at_most : a_packet);
    }
  }

 private:
  // False: the job ended in this turn.
  static bool turn(Job& job) {
    if (job.generator.done()) return true;
    const std::uint64_t count = job.request.settings.count;
    const bool complete = count != 0 && job.generator.result().sofar >= count;
    if (job.stop || complete) {
      job.generator.finish();
      return false;
    }
    job.generator.step();
    return true;
  }

  JobId last_id_ = 0;
};

}  // namespace qdiscsim::test
