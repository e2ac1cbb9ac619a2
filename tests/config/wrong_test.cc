// What holds for every wrong configuration of the tables in wrong_*_test.cc.
#include "tests/config/wrong.h"

namespace qdiscsim::config {
namespace {

TEST_P(WrongConfiguration, IsRefusedWithTheseLinesAndNoOthers) {
  const Result result = load_text(GetParam().text, "c.yaml", {}, three_cpus_two_allowed());
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    messages.push_back(to_string(diagnostic));
  }
  EXPECT_EQ(messages, GetParam().messages) << GetParam().text;
  EXPECT_FALSE(result.config.has_value());
  EXPECT_EQ(result.exit_code, kExitConfig);
}

}  // namespace
}  // namespace qdiscsim::config
