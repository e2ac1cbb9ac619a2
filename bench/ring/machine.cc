#include "bench/ring/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "bench/ring/commit.h"
#include "config/cpus.h"

namespace qdiscsim::ring_bench {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file{path};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// "key\t: value" lines, as /proc/cpuinfo has them; calls each(key, value).
template <class Each>
void for_each_pair(const std::string& text, Each&& each) {
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string_view key{line.data(), colon};
    key = key.substr(0, key.find_last_not_of(" \t") + 1);
    std::string_view value{line};
    value.remove_prefix(std::min(value.size(), colon + 1));
    value.remove_prefix(std::min(value.size(), value.find_first_not_of(' ')));
    each(key, std::string{value});
  }
}

void read_cpuinfo(Machine& machine, const std::string& text) {
  std::set<std::pair<std::string, std::string>> cores;  // socket, core
  std::string socket;
  unsigned processors = 0;
  for_each_pair(text, [&](std::string_view key, const std::string& value) {
    if (key == "processor") ++processors;
    if (key == "model name" && machine.cpu.empty()) machine.cpu = value;
    if (key == "physical id") socket = value;
    if (key == "core id") cores.emplace(socket, value);
    if (key == "flags") {
      machine.virtualised |= (" " + value + " ").find(" hypervisor ") != std::string::npos;
    }
  });
  machine.cores = static_cast<unsigned>(cores.size());
  machine.hyperthreads = machine.cores > 0 && processors > machine.cores;
  if (machine.cpu.empty()) machine.cpu = "unknown processor";
}

void read_vulnerabilities(Machine& machine, const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
    const std::string state = read_text(entry.path().string());
    if (state.empty()) continue;
    machine.vulnerabilities_known = true;
    if (state != "Not affected") {
      machine.vulnerabilities.emplace_back(entry.path().filename().string(), state);
    }
  }
  std::sort(machine.vulnerabilities.begin(), machine.vulnerabilities.end());
}

}  // namespace

std::string Machine::cpus() const {
  std::string text = fmt::format("{} of {} online", allowed, online);
  if (cores > 0) text += fmt::format(", {} {}", cores, cores == 1 ? "core" : "cores");
  if (hyperthreads) text += " with hardware threads";
  return text;
}

std::string Machine::mitigations() const {
  if (!vulnerabilities_known) return "not readable";
  std::string on;
  std::string open;
  for (const auto& [name, state] : vulnerabilities) {
    std::string& list = state.starts_with("Mitigation") ? on : open;
    list += (list.empty() ? "" : ", ") + name;
  }
  return (on.empty() ? "none" : on) + "; vulnerable: " + (open.empty() ? "none" : open);
}

Machine read_machine(const std::string& root) {
  Machine machine;
  read_cpuinfo(machine, read_text(root + "/proc/cpuinfo"));
  const auto cpus = config::Cpus::of_this_process();
  machine.allowed = static_cast<unsigned>(cpus.allowed.size());
  const auto online = config::parse_cpu_list(read_text(root + "/sys/devices/system/cpu/online"));
  machine.online = static_cast<unsigned>(online.empty() ? cpus.online.size() : online.size());
  for_each_pair(read_text(root + "/proc/meminfo"),
                [&](std::string_view key, const std::string& value) {
                  if (key == "MemTotal")
                    machine.memory_bytes = std::strtoull(value.c_str(), nullptr, 10) * 1024;
                });
  utsname system{};
  machine.kernel = uname(&system) == 0
                       ? fmt::format("{} {} {}", system.sysname, system.release, system.machine)
                       : "unknown";
  machine.governor = read_text(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (machine.governor.empty()) machine.governor = "not readable";
  read_vulnerabilities(machine, root + "/sys/devices/system/cpu/vulnerabilities");
  return machine;
}

Load read_load(const std::string& root) {
  Load load;
  std::istringstream{read_text(root + "/proc/loadavg")} >> load.average;
  // cpu user nice system idle iowait irq softirq steal; guest time is in user time already.
  std::istringstream stat{read_text(root + "/proc/stat")};
  std::string name;
  stat >> name;
  std::uint64_t ticks = 0;
  for (int i = 0; i < 8 && stat >> ticks; ++i) {
    load.all_ticks += ticks;
    if (i == 7) load.steal_ticks = ticks;
    if (i != 3 && i != 4 && i != 7) load.busy_ticks += ticks;
  }
  timespec own{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0) {
    load.own_seconds = static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) / 1e9;
  }
  return load;
}

Disturbance between(const Load& before, const Load& after, double ticks) {
  const double all = static_cast<double>(after.all_ticks) - static_cast<double>(before.all_ticks);
  if (!(all > 0)) return {};
  const double busy =
      static_cast<double>(after.busy_ticks) - static_cast<double>(before.busy_ticks);
  const double steal =
      static_cast<double>(after.steal_ticks) - static_cast<double>(before.steal_ticks);
  const double own = (after.own_seconds - before.own_seconds) * ticks;
  return {std::clamp((busy - own) / all, 0.0, 1.0), std::clamp(steal / all, 0.0, 1.0)};
}

double ticks_a_second() noexcept {
  return static_cast<double>(sysconf(_SC_CLK_TCK));
}

Build this_build() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "gcc " __VERSION__;
#endif
  return {kCommit, compiler, QDISCSIM_RING_BENCH_FLAGS};
}

}  // namespace qdiscsim::ring_bench
