#include "config/overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/loader.h"

namespace qdiscsim::config {
namespace {

using testing::ElementsAre;

constexpr const char* kBase =
    "devices: [{name: eth0}]\ngenerators: [{name: a, ratep: 1Mpps}, {name: b}]\n";

Result load(const std::vector<Override>& overrides) {
  return load_text(kBase, "c.yaml", overrides, Cpus::first(2));
}

std::vector<std::string> errors(const std::vector<Override>& overrides) {
  const Result result = load(overrides);
  EXPECT_EQ(result.exit_code, kExitConfig);
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : result.diagnostics) lines.push_back(to_string(diagnostic));
  return lines;
}

TEST(Override, ReplacesAValueOfTheFile) {
  const Result result = load({"generators[0].ratep=2Mpps", "generators[1].threads=8"});
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_EQ(result.config->generators[0].pace.value, 2'000'000U);
  EXPECT_EQ(result.config->generators[1].threads, 8U);
}

TEST(Override, MakesTheMapsThatTheFileLacks) {
  const Result result = load({"generators[0].page_pool.size=64", "log.level=debug", "seed=9"});
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_EQ(result.config->generators[0].page_pool.size, 64U);
  EXPECT_EQ(result.config->log.level, LogLevel::kDebug);
  EXPECT_EQ(result.config->seed, 9U);
}

TEST(Override, TakesMapsAndListsAsValues) {
  const Result result = load({"generators[0].cpus=[1, 0]", "generators[1].queue_map=cpu",
                              "generators[0].packet_size={min: 60, max: 70, random: true}"});
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_THAT(result.config->generators[0].cpus, ElementsAre(1, 0));
  EXPECT_EQ(result.config->generators[0].packet_size.kind, SizeKind::kRandom);
  EXPECT_TRUE(result.config->generators[1].queue_map_cpu);
}

TEST(Override, RemovesAKeyWithAnEmptyValue) {
  const Result result = load({"generators[0].ratep=", "generators[0].delay=1us"});
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_EQ(result.config->generators[0].pace, (Pace{PaceKind::kDelay, 1'000}));
}

TEST(Override, LetsTheLastOfTwoWin) {
  const Result result = load({"seed=1", "seed=2"});
  ASSERT_TRUE(result.config.has_value());
  EXPECT_EQ(result.config->seed, 2U);
}

TEST(Override, FillsAnEmptyFile) {
  const std::vector<Override> overrides{"devices=[{name: eth0}]"};
  EXPECT_TRUE(load_text("", "c.yaml", overrides).config.has_value());
}

TEST(Override, IsHeldToTheRulesOfTheFile) {
  EXPECT_THAT(
      errors({"generators[0].threads=0", "generators[0].delay=1us", "generators[1].tread=1"}),
      ElementsAre("c.yaml:2:31: generators[0].ratep: excludes delay, which is also given; keep one "
                  "of delay, rate and ratep",
                  "--set: generators[0].threads: 0 is too small; allowed: 1 to 128",
                  "--set: generators[1].tread: unknown key; did you mean threads?"));
}

TEST(Override, NamesTheStepThatCannotBeTaken) {
  EXPECT_THAT(errors({"generators[2].threads=1"}),
              ElementsAre("--set: generators[2].threads: there is no entry 2; the list has 2 "
                          "entries, counted from 0"));
  EXPECT_THAT(errors({"generators.threads=1"}),
              ElementsAre("--set: generators.threads: the configuration has no map here, but a "
                          "single value or a list; set that as a whole"));
  EXPECT_THAT(errors({"generators[0].priority[0].weight=1"}),
              ElementsAre("--set: generators[0].priority[0].weight: the configuration has no "
                          "list here"));
}

TEST(Override, NeedsAKeyAndAnEqualsSign) {
  for (const char* text : {"seed", "=1", ".seed=1", "seed.=1", "[0]=1", "generators[x].threads=1",
                           "generators[0=1", "generators[0]threads=1"}) {
    EXPECT_THAT(errors({text}),
                ElementsAre(testing::EndsWith(
                    "not of the form key=value, for example generators[0].threads=4")))
        << text;
  }
}

TEST(Override, NeedsAValueThatIsYaml) {
  EXPECT_THAT(errors({"generators[0].cpus=[0"}),
              ElementsAre("--set: generators[0].cpus: not valid YAML: end of sequence flow not "
                          "found"));
  EXPECT_THAT(errors({"seed=&a 1"}),
              ElementsAre("--set: seed: anchors (&) are not allowed; remove it"));
}

}  // namespace
}  // namespace qdiscsim::config
