// PoolLife: the page_pool of a generator from its making to its end and back. A generator that goes
// ends its pool as a driver does with the pool of a queue: what rests is given back at once, and
// while pages are out it is tried again once a second (pagepool/page_pool_teardown.h).
//
// A generator that comes back takes the same PagePool into use, so that its counters and series go
// on. If the end had come, it is another pool to those who look: it has a new id. If it still
// waits, it is called off; the kernel would make a second pool beside it.
//
// The generator was the pool's network device, as far as warnings and netlink's ifindex go.
// Threads: any, one after another (a lock of its own); begin() before the generator's thread runs,
// end() when it has ended.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/kernel_version.h"
#include "base/smp_native.h"
#include "pagepool/page_pool_teardown.h"
#include "pktgen/packet_memory.h"

namespace qdiscsim {

class PoolLife {
 public:
  using Pool = PacketMemory<smp::Native>::Pool;
  // Where ids come from, as the kernel's: 1, 2, 3, ...
  struct Ids {
    smp::Native::atomic<std::uint32_t> last{0};
  };
  struct Reading {
    std::uint32_t id = 0;
    std::optional<Nanoseconds> detached_at;  // when its end began; none while it is in use
    bool freed = false;                      // its end has come: netlink no longer shows it
  };

  // Both outlive it. The pool is in use.
  PoolLife(Pool& pool, Ids& ids, KernelVersion kernel)
      : pool_{pool}, ids_{ids}, kernel_{kernel}, id_{next_id()} {}

  // In use (again), by the CPU `owner`.
  void begin(CpuId owner);
  // The end begins, if it has not. Returns warnings for the log.
  std::vector<std::string> end(Nanoseconds now);
  // Tries again if that is due. Returns warnings for the log.
  std::vector<std::string> retry(Nanoseconds now);

  Reading read() const;

 private:
  std::uint32_t next_id() noexcept { return ids_.last.fetch_add(1, smp::relaxed) + 1; }

  Pool& pool_;
  Ids& ids_;
  const KernelVersion kernel_;
  mutable std::mutex mutex_;  // what follows, and the pool's ownership while the generator rests
  std::uint32_t id_;
  std::optional<PagePoolTeardown<Pool>> teardown_;  // none: in use
};

}  // namespace qdiscsim
