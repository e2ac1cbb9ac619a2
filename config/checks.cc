#include "config/checks.h"

#include <algorithm>

#include "config/checks_device.h"
#include "config/checks_generator.h"
#include "config/pages.h"
#include "config/rules.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

class WholeRules : public Rules {
 public:
  using Rules::Rules;

  void run() {
    if (!places_.given("devices")) {
      report("devices",
             "missing; at least one is needed, for example " + std::string(kMinimalDevices));
      return;
    }
    names("devices", config_.devices);
    names("generators", config_.generators);
    for (std::size_t i = 0; i < config_.devices.size(); ++i) {
      check_device(within("devices", i), config_.devices[i]);
    }
    for (std::size_t i = 0; i < config_.generators.size(); ++i) {
      check_generator(within("generators", i), config_.generators[i]);
    }
    pktgen();
    memory();
  }

 private:
  Rules within(const std::string& list, std::size_t entry) const {
    return {config_, places_, sources_, diagnostics_, list + '[' + std::to_string(entry) + "]."};
  }

  template <class Entries>
  void names(const std::string& list, const Entries& entries) {
    for (std::size_t i = 1; i < entries.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (entries[i].name != entries[j].name) continue;
        const std::string first = list + '[' + std::to_string(j) + ']';
        const std::string key = list + '[' + std::to_string(i) + "].name";
        if (!places_.good(key) || !places_.good(first + ".name")) continue;
        report(key, (places_.given(key) ? quoted(entries[i].name)
                                        : "missing, and the default " + quoted(entries[i].name)) +
                        " is already the name of " + first);
        break;
      }
    }
  }

  void pktgen() {
    if (given("pktgen.threads") && !given("pktgen.control_fs")) {
      report("pktgen.threads",
             "has no effect without pktgen.control_fs; name a directory, or remove it");
    }
    if (config_.pktgen.control_fs.empty()) return;
    for (std::size_t i = 0; i < config_.generators.size(); ++i) {
      const std::string key = "generators[" + std::to_string(i) + "].name";
      if (config_.generators[i].name.starts_with("kpktgend_") && good({key})) {
        report(key,
               "kpktgend_... is what the threads of pktgen.control_fs are called in the "
               "metrics; choose another name");
      }
    }
  }

  void memory() {
    if (!diagnostics_.empty()) return;  // the need is only meaningful for a valid configuration
    const std::uint64_t pages = required_pages(config_);
    if (pages <= arena_pages(config_)) return;
    const bool leaks = std::any_of(config_.generators.begin(), config_.generators.end(),
                                   [](const auto& group) { return group.leak.every != 0; });
    report(
        "memory.limit",
        (given("memory.limit")
             ? format_quantity(config_.memory.limit_bytes, Quantity::kSize)
             : "the default, at most " + format_quantity(kMostByDefault, Quantity::kSize) + ",") +
            " is too small: queues and generators can hold " + std::to_string(pages) +
            " pages of 4KiB at once; allowed: at least " + std::to_string(required_mib(config_)) +
            "MiB, or shorten tx_queue_len" + (leaks ? ", or lower leak.at_most" : ""));
  }
};

}  // namespace

void check_rules(const Config& config, const Places& places, std::span<const std::string> sources,
                 std::vector<Diagnostic>& diagnostics) {
  WholeRules(config, places, sources, diagnostics).run();
}

}  // namespace qdiscsim::config
