// The generators of pktgen's control files: made when a script starts its devices.
#include <algorithm>
#include <stdexcept>

#include "config/pages.h"
#include "daemon/engine.h"
#include "daemon/translate.h"

namespace qdiscsim {

std::optional<config::Device> Engine::find_device(std::string_view name) const {
  const std::lock_guard guard{mutex_};
  const config::Device* const found = config::find_device(config_, name);
  return found != nullptr ? std::optional{*found} : std::nullopt;
}

// What leaks keep though `config` no longer counts it: of threads that it takes away, or gives
// less.
std::uint64_t Engine::leaked_beyond(const config::Config& config) const {
  std::uint64_t pages = 0;
  for (const auto& thread : generators_) {
    const auto group =
        std::find_if(config.generators.begin(), config.generators.end(), [&](const auto& one) {
          return one.name == thread->group() && thread->index() < one.threads;
        });
    const bool counted = group != config.generators.end() && group->leak.every != 0;
    const std::uint64_t kept = thread->generator().keeper().kept();
    pages += kept - std::min(kept, counted ? group->leak.at_most : std::uint64_t{0});
  }
  return pages;
}

// The configuration counts one device for each thread of pktgen, at least one; more must fit too.
std::uint64_t Engine::pages_with_jobs(const config::Config& config, std::size_t jobs) const {
  const std::size_t counted = std::max(config.pktgen.threads, 1U);
  return config::required_pages(config) + leaked_beyond(config) +
         (jobs - std::min(jobs, counted)) * config::kPagesPerThread;
}

std::size_t Engine::running_jobs() const {
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& job) { return job->running(); }));
}

GeneratorThread& Engine::job_thread(const std::string& thread, const std::string& file,
                                    const std::string& device, const GeneratorSettings& settings) {
  const std::lock_guard guard{mutex_};
  if (const std::uint64_t pages = pages_with_jobs(config_, running_jobs() + 1);
      pages > arena_.size()) {
    throw std::runtime_error{thread + "/" + file +
                             ": no packet memory for one more device at a time; "
                             "raise memory.limit to " +
                             std::to_string(config::mib_of(pages)) + "MiB"};
  }
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) {
    return job->group() == thread && job->name() == file;
  });
  if (found != jobs_.end()) return **found;
  const CpuId cpu = first_job_cpu_ + static_cast<CpuId>(jobs_.size());
  if (cpu == cpus_) {
    throw std::runtime_error{thread + "/" + file + ": " + std::to_string(jobs_.size()) +
                             " devices with other names or threads have run, and their counters "
                             "stay; use these names again, or restart the daemon"};
  }
  jobs_.push_back(make_thread(thread, file, 0, device, cpu, config::PagePool{}, settings));
  return *jobs_.back();
}

}  // namespace qdiscsim
