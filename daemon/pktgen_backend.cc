#include "daemon/pktgen_backend.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <stdexcept>

#include "daemon/generator_thread.h"

namespace qdiscsim {
namespace {

// How late the end of a job may be seen.
constexpr Nanoseconds kLook = kMillisecond;

// Of every simulated interface: the default source of the configured generators, and an address of
// the range for documentation (RFC 7042), with the link-local address that follows from it.
constexpr std::uint32_t kIpv4 = 0xc6120001;  // 198.18.0.1
constexpr pktgenfs::MacAddress kMac{0x00, 0x00, 0x5e, 0x00, 0x53, 0x01};
constexpr pktgenfs::Ipv6Address kLinkLocal{0xfe, 0x80, 0,    0,    0,    0,    0,    0,
                                           0x02, 0x00, 0x5e, 0xff, 0xfe, 0x00, 0x53, 0x01};

}  // namespace

PktgenBackend::PktgenBackend(Engine& engine, std::uint32_t threads)
    : engine_{engine}, threads_{threads}, cpus_{usable_cpus()} {}

std::optional<pktgenfs::Interface> PktgenBackend::find_interface(std::string_view name) const {
  const std::optional<config::Device> device = engine_.find_device(name);
  if (!device) return std::nullopt;
  pktgenfs::Interface out;
  out.tx_queues = device->queues;
  // tun's devices own what they are given (drivers/net/tun.c, tun_net_initialize).
  out.shares_skbs = device->link.kind != config::LinkKind::kVhostNet;
  out.mac = kMac;
  out.ipv4 = kIpv4;
  out.link_local = kLinkLocal;
  return out;
}

PktgenBackend::JobId PktgenBackend::start(const pktgenfs::JobRequest& request) {
  try {
    return start_job(request);
  } catch (const std::runtime_error& error) {
    spdlog::warn("pktgen: {} cannot start: {}", request.file, error.what());
    throw;
  }
}

PktgenBackend::JobId PktgenBackend::start_job(const pktgenfs::JobRequest& request) {
  const std::lock_guard guard{mutex_};
  GeneratorThread& thread = engine_.job_thread(pktgenfs::thread_name(request.thread), request.file,
                                               request.interface, request.settings);
  thread.stop();
  const pktgenfs::JobStart<smp::Native> start{thread.generator().counters()};
  thread.start(request.settings, {cpus_[request.thread % cpus_.size()]});
  jobs_.emplace(++last_id_, Job{&thread, start});
  return last_id_;
}

void PktgenBackend::request_stop(JobId id) {
  const std::lock_guard guard{mutex_};
  jobs_.at(id).thread->request_stop();
}

pktgenfs::JobProgress PktgenBackend::progress(JobId id) const {
  const std::lock_guard guard{mutex_};
  const Job& job = jobs_.at(id);
  return pktgenfs::progress_of(job.thread->generator(), job.start);
}

void PktgenBackend::release(JobId id) {
  GeneratorThread* thread = nullptr;
  {
    const std::lock_guard guard{mutex_};
    const auto found = jobs_.find(id);
    if (found == jobs_.end()) return;
    thread = found->second.thread;
    jobs_.erase(found);
  }
  // Without the lock: it may take as long as the thread's nap. Nobody else has the thread, since
  // the same device is started again only after this.
  for (const std::string& warning : thread->retire(smp::Native::now())) {
    spdlog::warn("{}: {}", thread->label(), warning);
  }
}

void PktgenBackend::wait(Nanoseconds at_most) {
  smp::Native::sleep(std::min(at_most, kLook));
}

}  // namespace qdiscsim
