#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/loader.h"
#include "config/pages.h"
#include "config/print.h"
#include "config/reference.h"

namespace qdiscsim::config {
namespace {

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(QDISCSIM_SOURCE_DIR "/config/examples")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

TEST(Examples, LoadWithOneCpuAndWithTwo) {
  ASSERT_GE(examples().size(), 6U);
  for (const std::string& file : examples()) {
    for (const std::uint32_t cpus : {1U, 2U}) {
      const Result result = load_file(file, {}, Cpus::first(cpus));
      EXPECT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
    }
  }
}

TEST(Examples, HaveMemoryForWhateverRestsInTheirPools) {
  for (const std::string& file : examples()) {
    const Result result = load_file(file, {}, Cpus::first(2));
    ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
    EXPECT_EQ(scarce_memory(*result.config, arena_pages(*result.config)), "") << file;
  }
}

TEST(Examples, AreAllListedInTheReference) {
  const std::string reference = reference_markdown();
  for (const std::string& file : examples()) {
    const std::string name = std::filesystem::path(file).filename();
    EXPECT_NE(reference.find('`' + name + '`'), std::string::npos) << name;
  }
}

TEST(Examples, QuickstartKeepsBandZeroBelowTheLineRateAndTheTotalAbove) {
  const Result result = load_file(QDISCSIM_SOURCE_DIR "/config/examples/quickstart.yaml");
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  const GeneratorGroup& group = result.config->generators.at(0);
  ASSERT_EQ(group.pace.kind, PaceKind::kPacketRate);
  ASSERT_EQ(result.config->devices.at(0).link.rate_bits_per_second, 1'000'000'000U);
  constexpr std::uint64_t kLineRate = 1'000'000'000 / (84 * 8);  // of 60-byte packets
  std::uint64_t weights = 0;
  std::uint64_t band_zero = 0;
  for (const PriorityWeight& entry : group.priority) {
    weights += entry.weight;
    if (entry.priority == 6) band_zero += entry.weight;
  }
  EXPECT_GT(group.pace.value, kLineRate);
  EXPECT_LT(group.pace.value * band_zero / weights, kLineRate);
  EXPECT_GT(band_zero, 0U);
  EXPECT_EQ(group.threads, 2U);
  EXPECT_LE(result.config->memory.limit_bytes, 32ULL << 20U);
}

TEST(Examples, DummyMaxRunsWithEveryPublishedNumberOfThreads) {
  for (const int threads : {1, 2, 4, 8, 16}) {
    const std::vector<Override> overrides{"generators[0].threads=" + std::to_string(threads)};
    const Result result =
        load_file(QDISCSIM_SOURCE_DIR "/config/examples/dummy-max.yaml", overrides);
    EXPECT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  }
}

}  // namespace
}  // namespace qdiscsim::config
