#include "daemon/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/exit_codes.h"
#include "config/loader.h"

namespace qdiscsim {
namespace {

using config::Override;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Options parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "qdiscsimd");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, RunsAConfigurationFile) {
  const Options options = parse({"a.yaml"});
  EXPECT_EQ(options.action, Action::kRun);
  EXPECT_EQ(options.config_path, "a.yaml");
  EXPECT_TRUE(options.overrides.empty());
  EXPECT_TRUE(options.progress);
  EXPECT_FALSE(options.once);
  EXPECT_TRUE(options.report.empty());
}

TEST(Options, TurnsShortcutsIntoOverrides) {
  const Options options = parse({"--set", "seed=7", "a.yaml", "--set", "devices[0].queues=2",
                                 "--listen", "[::1]:0", "--duration", "5s", "--log-level", "debug",
                                 "--no-progress", "--once", "--report", "a.json"});
  EXPECT_EQ(options.action, Action::kRun) << options.text;
  EXPECT_EQ(options.config_path, "a.yaml");
  EXPECT_THAT(options.overrides, ElementsAre(Override{"seed=7"}, Override{"devices[0].queues=2"},
                                             Override{"http.listen='[::1]:0'", "--listen"},
                                             Override{"duration=5s", "--duration"},
                                             Override{"log.level=debug", "--log-level"}));
  EXPECT_FALSE(options.progress);
  EXPECT_TRUE(options.once);
  EXPECT_EQ(options.report, "a.json");
}

TEST(Options, MakesOverridesThatTheLoaderUnderstands) {
  const Options options =
      parse({"a.yaml", "--listen", "[::1]:0", "--duration", "250ms", "--log-level", "error"});
  const auto result = config::load_text("devices: [{name: eth0}]\n", "a.yaml", options.overrides);
  ASSERT_TRUE(result) << config::to_string(result.diagnostics);
  EXPECT_EQ(result.config->http.address, "::1");
  EXPECT_EQ(result.config->http.port, 0);
  EXPECT_EQ(result.config->duration_ns, 250'000'000U);
  EXPECT_EQ(result.config->log.level, config::LogLevel::kError);
}

TEST(Options, NamesTheOptionOfAWrongValue) {
  const Options options = parse({"--set", "seed=x", "a.yaml", "--duration", "5 parsecs"});
  const auto result = config::load_text("devices: [{name: eth0}]\n", "a.yaml", options.overrides);
  ASSERT_EQ(result.diagnostics.size(), 2U);
  EXPECT_THAT(to_string(result.diagnostics[0]), StartsWith("--set: seed: \"x\""));
  EXPECT_THAT(to_string(result.diagnostics[1]), StartsWith("--duration: duration: \"5 parsecs\""));
}

TEST(Options, PrintsReferencesWithoutAConfiguration) {
  EXPECT_EQ(parse({"--print-metrics-reference"}).action, Action::kPrintMetricsReference);
  EXPECT_EQ(parse({"--print-config-reference"}).action, Action::kPrintConfigReference);
  EXPECT_EQ(parse({"--check-config", "a.yaml"}).action, Action::kCheckConfig);
  EXPECT_EQ(parse({"a.yaml", "--print-config"}).action, Action::kPrintConfig);
}

TEST(Options, ExplainsAWrongCommandLineInOneLine) {
  const std::vector<std::vector<const char*>> wrong = {
      {},
      {"a.yaml", "b.yaml"},
      {"a.yaml", "--frobnicate"},
      {"a.yaml", "--set"},
      {"a.yaml", "--duration"},
      {"--check-config"},
      {"a.yaml", "--check-config", "--print-config"},
      {"a.yaml", "--print-metrics-reference"},
  };
  for (const auto& arguments : wrong) {
    const Options options = parse(arguments);
    std::string shown;
    for (const char* argument : arguments) shown += std::string{argument} + " ";
    SCOPED_TRACE(shown);
    EXPECT_EQ(options.action, Action::kExit);
    EXPECT_EQ(options.exit_code, config::kExitUsage);
    EXPECT_THAT(options.text, StartsWith("command line: "));
    EXPECT_THAT(options.text, HasSubstr("; see qdiscsimd --help"));
    EXPECT_THAT(options.text, Not(HasSubstr("\n")));
  }
}

TEST(Options, HelpsAndNamesItsVersion) {
  const Options help = parse({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* text :
       {"CONFIG", "--set", "--listen", "--duration", "--check-config", "Exit codes:", "69"}) {
    EXPECT_THAT(help.text, HasSubstr(text));
  }
  const Options version = parse({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.text, StartsWith("qdiscsimd " QDISCSIM_VERSION " ("));
}

}  // namespace
}  // namespace qdiscsim
