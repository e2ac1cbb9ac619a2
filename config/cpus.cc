#include "config/cpus.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>

namespace qdiscsim::config {
namespace {

constexpr std::uint32_t kMostCpus = 8192;  // the kernel's largest NR_CPUS

std::vector<std::uint32_t> affinity() {
  std::vector<std::uint32_t> cpus;
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(kMostCpus),
                                                             [](cpu_set_t* s) { CPU_FREE(s); });
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  CPU_ZERO_S(bytes, set.get());
  if (sched_getaffinity(0, bytes, set.get()) != 0) return {0};
  for (std::uint32_t cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

Cpus Cpus::first(std::uint32_t n) {
  Cpus cpus;
  for (std::uint32_t cpu = 0; cpu < n; ++cpu) cpus.online.push_back(cpu);
  cpus.allowed = cpus.online;
  return cpus;
}

Cpus Cpus::of_this_process() {
  Cpus cpus;
  cpus.allowed = affinity();
  std::ifstream file("/sys/devices/system/cpu/online");
  std::string text;
  std::getline(file, text);
  cpus.online = parse_cpu_list(text);
  // A container may hide sysfs; what the scheduler allows is online in any case.
  if (!std::includes(cpus.online.begin(), cpus.online.end(), cpus.allowed.begin(),
                     cpus.allowed.end())) {
    cpus.online = cpus.allowed;
  }
  return cpus;
}

std::vector<std::uint32_t> parse_cpu_list(std::string_view text) {
  std::vector<std::uint32_t> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t low = 0;
    auto parsed = std::from_chars(at, end, low);
    if (parsed.ec != std::errc{}) return {};
    std::uint32_t high = low;
    if (parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, high);
      if (parsed.ec != std::errc{}) return {};
    }
    for (std::uint32_t cpu = low; cpu <= high && cpu < kMostCpus; ++cpu) cpus.push_back(cpu);
    at = parsed.ptr;
    if (at != end) {
      if (*at != ',') return {};
      ++at;
    }
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(const std::vector<std::uint32_t>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace qdiscsim::config
