#include "bench/ring/hardware_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace qdiscsim::ring_bench {
namespace {

constexpr std::array<std::uint64_t, 4> kWanted{PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                               PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
                                               PERF_COUNT_HW_BRANCH_MISSES};

int open_counter(std::uint64_t event) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = event;
  attributes.disabled = 1;
  attributes.inherit = 1;  // forbids reading the four as one group
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

struct Reading {
  std::uint64_t value;
  std::uint64_t enabled;
  std::uint64_t running;
};

}  // namespace

std::string counters_missing_because(int error) {
  const std::string name = std::strerror(error);
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "this machine has none (" + name + ")";
    case EACCES:
    case EPERM:
      return "the system forbids them (" + name + "; see kernel.perf_event_paranoid)";
    case ENOSYS:
      return "this kernel has no perf_event_open (" + name + ")";
    default:
      return "perf_event_open failed (" + name + ")";
  }
}

HardwareCounters::HardwareCounters() {
  for (std::size_t i = 0; i < kEvents; ++i) {
    fds_[i] = open_counter(kWanted[i]);
    if (fds_[i] < 0) {
      why_ = counters_missing_because(errno);
      break;
    }
  }
}

HardwareCounters::~HardwareCounters() {
  for (const int fd : fds_) {
    if (fd >= 0) close(fd);
  }
}

void HardwareCounters::start() noexcept {
  if (!available()) return;
  for (const int fd : fds_) ioctl(fd, PERF_EVENT_IOC_RESET, 0);
  for (const int fd : fds_) ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

std::optional<Counts> HardwareCounters::stop() noexcept {
  if (!available()) return std::nullopt;
  for (const int fd : fds_) ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  std::array<double, kEvents> counted{};
  for (std::size_t i = 0; i < kEvents; ++i) {
    Reading reading{};
    if (read(fds_[i], &reading, sizeof reading) != sizeof reading || reading.running == 0) {
      return std::nullopt;
    }
    counted[i] = static_cast<double>(reading.value) * static_cast<double>(reading.enabled) /
                 static_cast<double>(reading.running);
  }
  return Counts{counted[0], counted[1], counted[2], counted[3]};
}

}  // namespace qdiscsim::ring_bench
