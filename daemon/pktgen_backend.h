// PktgenBackend: the engine as pktgen's control files see it. Interfaces are the configured
// devices; a job is a generator thread of its own, bound to the CPU of its kpktgend_<n>, with its
// own page_pool. The kernel has one thread a CPU that serves its devices in turn; here the
// scheduler does that. Metrics and report call the job kpktgend_<n>/<file>, as kpktgend_0/eth0@0.
//
// Threads: as Backend says. The engine outlives it and is running.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/engine.h"
#include "pktgenfs/backend.h"
#include "pktgenfs/progress.h"

namespace qdiscsim {

class PktgenBackend final : public pktgenfs::Backend {
 public:
  PktgenBackend(Engine& engine, std::uint32_t threads);

  std::uint32_t threads() const override { return threads_; }
  std::optional<pktgenfs::Interface> find_interface(std::string_view name) const override;
  // What start() throws is also logged: the writer sees it in the device's Result only.
  JobId start(const pktgenfs::JobRequest& request) override;
  void request_stop(JobId job) override;
  pktgenfs::JobProgress progress(JobId job) const override;
  void release(JobId job) override;
  void wait(Nanoseconds at_most) override;

 private:
  struct Job {
    GeneratorThread* thread;
    pktgenfs::JobStart<smp::Native> start;
  };

  JobId start_job(const pktgenfs::JobRequest& request);

  Engine& engine_;
  const std::uint32_t threads_;
  const std::vector<std::uint32_t> cpus_;
  mutable std::mutex mutex_;  // what follows
  std::map<JobId, Job> jobs_;
  JobId last_id_ = 0;
};

}  // namespace qdiscsim
