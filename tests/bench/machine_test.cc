#include "bench/ring/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace qdiscsim::ring_bench {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::Pair;

class MachineTest : public ::testing::Test {
 protected:
  MachineTest()
      : root_{std::filesystem::temp_directory_path() /
              ("ring_bench_machine_" + std::to_string(getpid()))} {
    std::filesystem::create_directories(root_);
  }
  ~MachineTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream{root_ / name} << text;
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

std::string processor(int number, int socket, int core) {
  return "processor\t: " + std::to_string(number) +
         "\nmodel name\t: Example 9000 @ 2.00GHz\nphysical id\t: " + std::to_string(socket) +
         "\ncore id\t\t: " + std::to_string(core) + "\nflags\t\t: fpu hypervisor sse\n\n";
}

TEST_F(MachineTest, ReadsWhatTheKernelShows) {
  write("proc/cpuinfo",
        processor(0, 0, 0) + processor(1, 0, 0) + processor(2, 1, 0) + processor(3, 1, 0));
  write("proc/meminfo", "MemTotal:        2097152 kB\nMemFree:   1 kB\n");
  write("sys/devices/system/cpu/online", "0-3\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
  write("sys/devices/system/cpu/vulnerabilities/spectre_v1", "Mitigation: barriers\n");
  write("sys/devices/system/cpu/vulnerabilities/mds", "Vulnerable: no microcode\n");
  const Machine machine = read_machine(root());
  EXPECT_EQ(machine.cpu, "Example 9000 @ 2.00GHz");
  EXPECT_EQ(machine.online, 4U);
  EXPECT_EQ(machine.cores, 2U) << "core 0 of either socket";
  EXPECT_TRUE(machine.hyperthreads);
  EXPECT_TRUE(machine.virtualised);
  EXPECT_EQ(machine.memory_bytes, 2U << 30U);
  EXPECT_EQ(machine.governor, "performance");
  EXPECT_THAT(machine.vulnerabilities, ElementsAre(Pair("mds", "Vulnerable: no microcode"),
                                                   Pair("spectre_v1", "Mitigation: barriers")));
  EXPECT_EQ(machine.mitigations(), "spectre_v1; vulnerable: mds");
  EXPECT_THAT(machine.cpus(), MatchesRegex("[0-9]+ of 4 online, 2 cores with hardware threads"));
}

TEST_F(MachineTest, SaysWhatItCannotRead) {
  const Machine machine = read_machine(root());
  EXPECT_EQ(machine.cpu, "unknown processor");
  EXPECT_EQ(machine.governor, "not readable");
  EXPECT_EQ(machine.mitigations(), "not readable");
  EXPECT_GE(machine.online, 1U);
  EXPECT_FALSE(machine.virtualised);
}

TEST_F(MachineTest, TellsItsOwnWorkFromThatOfOthers) {
  write("proc/loadavg", "0.50 0.40 0.30 1/99 1234\n");
  write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3\n");
  Load before = read_load(root());
  write("proc/stat", "cpu  250 0 150 1000 0 0 0 10 0 0\n");
  Load after = read_load(root());
  EXPECT_EQ(before.average, 0.5);
  before.own_seconds = 1;
  after.own_seconds = 2.5;
  const Disturbance disturbance = between(before, after, 100);
  EXPECT_NEAR(disturbance.others, (200.0 - 150.0) / 410, 1e-9);
  EXPECT_NEAR(disturbance.stolen, 10.0 / 410, 1e-9);
}

TEST(Disturbance, IsNoneWhereNothingCanBeRead) {
  EXPECT_EQ(between({}, {}, 100).others, 0);
  EXPECT_EQ(between({}, {}, 100).stolen, 0);
}

TEST(Build, KnowsItsCommitAndItsFlags) {
  const Build build = this_build();
  EXPECT_THAT(build.commit, MatchesRegex("[0-9a-f]{12}( with changes)?|not a clone"));
  EXPECT_THAT(build.compiler, MatchesRegex("(gcc|clang) .*"));
  EXPECT_FALSE(build.flags.empty());
}

}  // namespace
}  // namespace qdiscsim::ring_bench
