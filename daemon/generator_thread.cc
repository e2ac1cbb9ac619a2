#include "daemon/generator_thread.h"

#include <pthread.h>
#include <sched.h>

#include <system_error>

#include "daemon/thread_hints.h"
#include "daemon/translate.h"

namespace qdiscsim {

GeneratorThread::GeneratorThread(std::string group, std::string name, std::uint32_t index,
                                 std::string device_name, CpuId cpu, std::uint32_t cpus,
                                 NetDevice<Smp>& device,
                                 PacketMemory<Smp>::Pool::Allocator& allocator,
                                 PacketMemory<Smp>& memory, const QuiescentEpoch<Smp>& epoch,
                                 const config::PagePool& pool, PoolLife::Ids& pool_ids,
                                 KernelVersion kernel, const GeneratorSettings& settings)
    : group_{std::move(group)},
      name_{std::move(name)},
      device_name_{std::move(device_name)},
      index_{index},
      cpu_{cpu},
      pool_{allocator,
            {.pool_size = pool.size,
             .owner_cpu = cpu,
             .cpus = cpus,
             .ring = ring_choice(pool.ring),
             .kernel = kernel}},
      pool_life_{pool_, pool_ids, kernel},
      generator_{cpu_, device, pool_, memory, epoch, settings} {}

void GeneratorThread::start(const GeneratorSettings& settings,
                            const std::vector<std::uint32_t>& allowed) {
  stop();
  pool_life_.begin(cpu_.id());
  generator_.restart(settings);
  try {
    thread_ = std::thread{[this] {
      usual_slices();
      generator_.run();
    }};
  } catch (const std::system_error& error) {
    throw std::system_error{error.code(), "generator " + label() +
                                              ": cannot start a thread; lower generators.threads "
                                              "or raise the limit (ulimit -u)"};
  }
  running_.store(true, smp::relaxed);
  try {
    dress_thread(thread_, label(), allowed);
    bound_cpu_.store(allowed.size() == 1 ? static_cast<int>(allowed[0]) : -1, smp::relaxed);
  } catch (...) {
    stop();
    throw;
  }
}

void GeneratorThread::stop() {
  if (!thread_.joinable()) return;
  generator_.request_stop();
  thread_.join();
  running_.store(false, smp::relaxed);
}

std::vector<std::string> GeneratorThread::retire(Nanoseconds now) {
  stop();
  return pool_life_.end(now);
}

std::vector<std::uint32_t> usable_cpus() {
  std::vector<std::uint32_t> cpus;
  cpu_set_t online;
  CPU_ZERO(&online);
  if (sched_getaffinity(0, sizeof online, &online) == 0) {
    for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &online)) cpus.push_back(cpu);
    }
  }
  return cpus.empty() ? std::vector<std::uint32_t>{0} : cpus;
}

std::vector<std::uint32_t> allowed_cpus(const config::GeneratorGroup& group, std::uint32_t index) {
  if (!group.pin) return group.cpus;
  if (!group.cpus.empty()) return {group.cpus[index % group.cpus.size()]};
  const std::vector<std::uint32_t> usable = usable_cpus();
  return {usable[index % usable.size()]};
}

void dress_thread(std::thread& thread, const std::string& name,
                  const std::vector<std::uint32_t>& allowed) {
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  if (allowed.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::uint32_t cpu : allowed) CPU_SET(cpu, &set);
  const int error = pthread_setaffinity_np(thread.native_handle(), sizeof set, &set);
  if (error != 0) {
    throw std::system_error{error, std::generic_category(),
                            "thread " + name +
                                ": cannot be bound to its CPUs; check `cpus` against "
                                "the CPUs that this process may use (taskset -p)"};
  }
}

}  // namespace qdiscsim
