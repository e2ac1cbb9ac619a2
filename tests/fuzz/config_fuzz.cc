// A configuration file: any bytes give a configuration or messages, each with a place, and what is
// valid prints as a file that loads to the same configuration.
#include "config/loader.h"
#include "config/print.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace qdiscsim;

constexpr std::size_t kMost = 1U << 14U;  // longer ones teach nothing and take long

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMost) return 0;
  static const config::Cpus cpus = config::Cpus::first(4);
  const auto result = config::load_text(test::text_of(data, size), "fuzz.yaml", {}, cpus);
  if (!result) {
    test::must(!result.diagnostics.empty(), "a refusal without a message");
    const std::string messages = config::to_string(result.diagnostics);
    test::must(messages.starts_with("fuzz.yaml"), "a message without the file's name");
    test::must(messages.back() == '\n', "a message without an end");
    return 0;
  }
  const std::string printed = config::print(*result.config);
  const auto again = config::load_text(printed, "printed.yaml", {}, cpus);
  test::must(again.config.has_value(), printed.c_str());
  test::must(*again.config == *result.config, printed.c_str());
  return 0;
}
