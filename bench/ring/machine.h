// What a reader must know of the machine behind a figure, and whether it was left alone.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qdiscsim::ring_bench {

struct Machine {
  std::string cpu;  // model name
  unsigned online = 0;
  unsigned allowed = 0;  // to this process
  unsigned cores = 0;    // 0: not readable
  bool hyperthreads = false;
  bool virtualised = false;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::string governor;  // of the first CPU, or "not readable"
  // As the kernel words them, by name: only those that concern this CPU.
  std::vector<std::pair<std::string, std::string>> vulnerabilities;
  bool vulnerabilities_known = false;

  std::string cpus() const;         // "2 of 2 online, 2 cores"
  std::string mitigations() const;  // "spectre_v1, spectre_v2; vulnerable: none"
};

// Reads /proc and /sys below root (a test has its own). Never fails: what cannot be read says so.
Machine read_machine(const std::string& root = "");

// The load of the whole machine at one moment.
struct Load {
  double average = 0;             // over one minute
  std::uint64_t busy_ticks = 0;   // of all CPUs since boot, without idle, waiting and stolen time
  std::uint64_t steal_ticks = 0;  // given to others by the hypervisor
  std::uint64_t all_ticks = 0;
  double own_seconds = 0;  // CPU time of this process
};

Load read_load(const std::string& root = "");

struct Disturbance {
  double others = 0;  // share of all CPU time that other processes used, 0 .. 1
  double stolen = 0;  // share that the hypervisor gave away
};

// Above these the reader is warned.
inline constexpr double kMostOthers = 0.02;
inline constexpr double kMostStolen = 0.005;

Disturbance between(const Load& before, const Load& after, double ticks_a_second);
double ticks_a_second() noexcept;

// What the program was built from and with; from the build.
struct Build {
  std::string commit;  // "12 hex digits", "... with changes", or "not a clone"
  std::string compiler;
  std::string flags;
};

Build this_build();

}  // namespace qdiscsim::ring_bench
