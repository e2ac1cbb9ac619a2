#include "daemon/process_stats.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>

namespace qdiscsim {
namespace {

using Text = std::array<char, 1024>;

// Reads the start of a file of /proc. An empty text when there is none.
Text slurp(const char* path) noexcept {
  Text text{};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  const ssize_t got = read(fd, text.data(), text.size() - 1);
  close(fd);
  text[got > 0 ? static_cast<std::size_t>(got) : 0] = '\0';
  return text;
}

double seconds(clockid_t clock) noexcept {
  timespec ts{};
  clock_gettime(clock, &ts);
  return static_cast<double>(ts.tv_sec) + static_cast<double>(ts.tv_nsec) / 1e9;
}

double seconds(const timeval& tv) noexcept {
  return static_cast<double>(tv.tv_sec) + static_cast<double>(tv.tv_usec) / 1e6;
}

// Field 22 of /proc/self/stat counts clock ticks since boot. Counted from the clocks and not from
// btime in /proc/stat, which a hardened unit (ProcSubset=pid) hides.
double read_start_time() noexcept {
  const Text stat = slurp("/proc/self/stat");
  const char* field = std::strrchr(stat.data(), ')');  // the command may contain anything
  if (field == nullptr) return 0;
  ++field;
  for (int i = 3; i <= 22 && field != nullptr; ++i) {
    field = std::strchr(field, ' ');
    if (field != nullptr) ++field;
  }
  if (field == nullptr) return 0;
  const double after_boot = std::strtod(field, nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME) + after_boot;
}

std::uint64_t count_fds() noexcept {
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) return 0;
  std::uint64_t entries = 0;
  while (readdir(dir) != nullptr) ++entries;
  closedir(dir);
  return entries > 3 ? entries - 3 : 0;  // ".", ".." and the directory itself
}

}  // namespace

double unix_time() noexcept {
  return seconds(CLOCK_REALTIME);
}

ProcessStats read_process_stats() noexcept {
  static const double start_time = read_start_time();
  ProcessStats stats;
  stats.start_time = start_time;

  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    stats.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  const Text statm = slurp("/proc/self/statm");
  char* end = nullptr;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  stats.virtual_bytes = std::strtoull(statm.data(), &end, 10) * page;
  stats.resident_bytes = std::strtoull(end, nullptr, 10) * page;
  stats.open_fds = count_fds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    stats.max_fds = limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<double>::infinity()
                                                    : static_cast<double>(limit.rlim_cur);
  }
  return stats;
}

}  // namespace qdiscsim
