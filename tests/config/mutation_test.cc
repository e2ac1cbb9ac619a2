// Good configurations with a few bytes changed: the loader must answer with a configuration or with
// readable diagnostics, whatever it is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/prng.h"
#include "config/encoding.h"
#include "config/loader.h"
#include "config/print.h"
#include "tests/config/random_config.h"

namespace qdiscsim::config {
namespace {

void mutate(std::string& text, Prng& random) {
  constexpr std::string_view kSpecial = "{}[]:,-#&*!|>'\"%@`?~ \t\n\r\\0\x7f\xc3\xff";
  const std::uint32_t changes = random.between(1, 4);
  for (std::uint32_t i = 0; i < changes && !text.empty(); ++i) {
    const std::uint32_t at = random.below(static_cast<std::uint32_t>(text.size()));
    const std::uint32_t length = std::min<std::uint32_t>(
        random.between(1, 40), static_cast<std::uint32_t>(text.size()) - at);
    const char special = kSpecial[random.below(static_cast<std::uint32_t>(kSpecial.size()))];
    switch (random.below(4)) {
      case 0:
        text[at] = special;
        break;
      case 1:
        text.insert(at, 1, special);
        break;
      case 2:
        text.erase(at, length);
        break;
      default:
        text.insert(at, text.substr(at, length));
    }
  }
}

TEST(MutatedConfiguration, GivesAConfigurationOrReadableDiagnostics) {
  for (std::uint64_t seed = 1; seed <= 800; ++seed) {
    Prng random(seed);
    std::string text = print(RandomConfig(seed).next());
    mutate(text, random);
    const Result result = load_text(text, "c.yaml", {}, Cpus::first(2));
    ASSERT_EQ(result.config.has_value(), result.diagnostics.empty()) << "seed " << seed;
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    for (const Diagnostic& diagnostic : result.diagnostics) {
      const std::string line = to_string(diagnostic);
      ASSERT_GE(diagnostic.at.line, 1U) << "seed " << seed << ' ' << line;
      ASSERT_LE(diagnostic.at.line, lines) << "seed " << seed << ' ' << line;
      ASSERT_GE(diagnostic.at.column, 1U) << "seed " << seed << ' ' << line;
      ASSERT_FALSE(find_bad_byte(line).has_value()) << "seed " << seed << ' ' << line;
      ASSERT_EQ(line.find('\n'), std::string::npos) << "seed " << seed << ' ' << line;
    }
    if (result.config) {
      ASSERT_EQ(load_text(print(*result.config), "again", {}, Cpus::first(2)).config, result.config)
          << "seed " << seed << '\n'
          << text;
    }
  }
}

}  // namespace
}  // namespace qdiscsim::config
