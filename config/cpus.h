// Which CPUs this machine has and which of them this process may use. Tests make their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qdiscsim::config {

struct Cpus {
  std::vector<std::uint32_t> online;   // sorted
  std::vector<std::uint32_t> allowed;  // sorted; a cpuset or taskset may leave out some

  // CPUs 0 .. n-1, all allowed.
  static Cpus first(std::uint32_t n);
  // From /sys/devices/system/cpu/online and sched_getaffinity(2).
  static Cpus of_this_process();

  bool operator==(const Cpus&) const = default;
};

// "0-3,8" as the kernel writes CPU lists; anything else gives an empty list. CPUs above 8191 are
// left out.
std::vector<std::uint32_t> parse_cpu_list(std::string_view text);
std::string format_cpu_list(const std::vector<std::uint32_t>& cpus);

}  // namespace qdiscsim::config
