// Backend: the machine below pktgen's control files: its threads, its interfaces, and jobs. A job
// is one run of one pktgen device: a generator with settings, bound to one thread's CPU.
//
// Threads: every call may come from any thread, also several at once. None may call back into
// Files. Job ids are never used twice. Source: what linux net/core/pktgen.c asks of struct
// net_device and of its threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "pktgen/generator.h"

namespace qdiscsim::pktgenfs {

using qdiscsim::Ipv6Address;
using qdiscsim::MacAddress;

// The file of a thread.
inline std::string thread_name(std::uint32_t thread) {
  return "kpktgend_" + std::to_string(thread);
}

// What pktgen looks at in a struct net_device.
struct Interface {
  bool ethernet = true;         // ARPHRD_ETHER or ARPHRD_LOOPBACK
  bool up = true;               // IFF_UP
  bool shares_skbs = true;      // IFF_TX_SKB_SHARING: one skb may be given to the driver twice
  std::uint32_t tx_queues = 1;  // real_num_tx_queues, at least 1
  MacAddress mac{};
  std::uint32_t ipv4 = 0;    // the first address, host byte order; 0 = none
  Ipv6Address link_local{};  // all zero = none
};

struct JobRequest {
  std::string file;          // the device's file, "eth0@1": for names of threads and log lines
  std::string interface;     // "eth0"
  std::uint32_t thread = 0;  // kpktgend_<thread>, below threads()
  GeneratorSettings settings;
};

// How far a job is. Times are the backend's clock, the same for all jobs.
struct JobProgress {
  bool running = false;        // false: the count is reached, it was stopped, or it could not go on
  bool out_of_memory = false;  // a packet could not be built in this run; tried again
  Nanoseconds started = 0;
  Nanoseconds stopped = 0;  // while it runs: now
  Nanoseconds idle = 0;     // of the time between them
  std::uint64_t sofar = 0;  // packets sent
  std::uint64_t errors = 0;
  std::uint64_t bytes = 0;
  std::uint32_t sequence = 1;                            // number of the next packet
  std::uint64_t flows = 0;                               // flows begun
  PacketFields current;                                  // of the packet built last
  std::array<std::uint64_t, Traffic::kMostImix> imix{};  // packets built of each imix entry
  bool holds_skb = false;  // pktgen still has a reference to the skb sent last
};

class Backend {
 public:
  using JobId = std::uint64_t;

  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // pktgen threads, one a CPU: kpktgend_0 .. kpktgend_<threads() - 1>. Constant, at least 1.
  virtual std::uint32_t threads() const = 0;
  virtual std::optional<Interface> find_interface(std::string_view name) const = 0;

  // The job runs from now on. Throws std::runtime_error when it cannot, with the reason.
  virtual JobId start(const JobRequest& request) = 0;
  // Does not wait. Of no effect on a job that has ended.
  virtual void request_stop(JobId job) = 0;
  virtual JobProgress progress(JobId job) const = 0;
  // Waits for the job's end (after request_stop(), or at its count) and forgets it.
  virtual void release(JobId job) = 0;

  // Returns when a job may have ended, at the latest after `at_most`.
  virtual void wait(Nanoseconds at_most) = 0;
};

}  // namespace qdiscsim::pktgenfs
