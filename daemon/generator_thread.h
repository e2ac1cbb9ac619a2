// GeneratorThread: one generator with what it needs of its own: CPU number, page_pool, OS thread.
// It is kept when its thread ends, so that its counters stay; a later start continues them.
// Control thread only, but for the readings of Generator.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "config/config.h"
#include "daemon/pool_life.h"
#include "pktgen/generator.h"

namespace qdiscsim {

class GeneratorThread {
 public:
  using Smp = smp::Native;

  // name: of the thread within its group; index: for what a configured group shares out.
  GeneratorThread(std::string group, std::string name, std::uint32_t index, std::string device_name,
                  CpuId cpu, std::uint32_t cpus, NetDevice<Smp>& device,
                  PacketMemory<Smp>::Pool::Allocator& allocator, PacketMemory<Smp>& memory,
                  const QuiescentEpoch<Smp>& epoch, const config::PagePool& pool,
                  PoolLife::Ids& pool_ids, KernelVersion kernel, const GeneratorSettings& settings);
  ~GeneratorThread() { stop(); }
  GeneratorThread(const GeneratorThread&) = delete;
  GeneratorThread& operator=(const GeneratorThread&) = delete;

  // allowed: CPUs that the thread may use, empty = any. Throws std::system_error.
  void start(const GeneratorSettings& settings, const std::vector<std::uint32_t>& allowed);
  void request_stop() noexcept { generator_.request_stop(); }
  void stop();  // returns when the thread has ended
  // Stops, and ends the pool (pool_life.h). A later start() takes it into use again. Returns
  // warnings for the log.
  std::vector<std::string> retire(Nanoseconds now);
  // Any thread, as are the readings of the generator.
  bool running() const noexcept { return running_.load(smp::relaxed); }
  // The one CPU that the last start() bound the thread to; -1: several, any, or never started.
  int bound_cpu() const noexcept { return bound_cpu_.load(smp::relaxed); }

  void apply(const GeneratorSettings& settings) { generator_.apply(settings); }
  void keep_pace(PaceBoard<Smp>& board) noexcept { generator_.keep_pace(board); }

  const std::string& group() const noexcept { return group_; }
  const std::string& device_name() const noexcept { return device_name_; }
  std::uint32_t index() const noexcept { return index_; }
  const std::string& name() const noexcept { return name_; }
  std::string label() const { return group_ + "/" + name_; }
  Cpu<Smp>& cpu() noexcept { return cpu_; }
  const Generator<Smp>& generator() const noexcept { return generator_; }
  PacketMemory<Smp>::Pool& pool() noexcept { return pool_; }
  const PacketMemory<Smp>::Pool& pool() const noexcept { return pool_; }
  PoolLife& pool_life() noexcept { return pool_life_; }
  const PoolLife& pool_life() const noexcept { return pool_life_; }
  double configured_pps = 0;
  bool keeps_gaps = false;  // of a capture: a long pause is no sign of trouble

 private:
  std::string group_;
  std::string name_;
  std::string device_name_;
  std::uint32_t index_;
  Cpu<Smp> cpu_;
  PacketMemory<Smp>::Pool pool_;
  PoolLife pool_life_;
  Generator<Smp> generator_;
  std::thread thread_;
  Smp::atomic<bool> running_{false};
  Smp::atomic<int> bound_cpu_{-1};
};

// CPUs that thread `index` of the group may run on; empty = any.
std::vector<std::uint32_t> allowed_cpus(const config::GeneratorGroup& group, std::uint32_t index);

// The CPUs that this process may use, in order; at least one.
std::vector<std::uint32_t> usable_cpus();

// Binds the calling thread to `allowed`; names it for ps and top. Throws std::system_error.
void dress_thread(std::thread& thread, const std::string& name,
                  const std::vector<std::uint32_t>& allowed);

}  // namespace qdiscsim
