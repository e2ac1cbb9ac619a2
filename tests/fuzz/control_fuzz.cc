// What comes over the control socket: any method, path and body. The configuration in force stays a
// valid one, and what was refused has changed nothing.
//
// Input: "METHOD PATH" in the first line, the body behind it.
#include <algorithm>
#include <chrono>
#include <string>

#include "config/loader.h"
#include "config/print.h"
#include "daemon/control_routes.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace qdiscsim;

constexpr std::size_t kMost = 8192;
constexpr const char* kConfig =
    "devices: [{name: eth0, link: {kind: wire}}]\n"
    "generators: [{name: a, ratep: 1kpps}, {name: b, enabled: false}]\n";

class FuzzedTarget final : public ControlTarget {
 public:
  const config::Config& config() const override { return config_; }
  ReloadOutcome change(const std::vector<config::Override>& overrides) override {
    return take(config::load_text(config::print(config_), "in force", overrides, cpus()));
  }
  ReloadOutcome reload_file() override { return take(from_file()); }
  ReloadOutcome set_up(const std::string& device, bool /*up*/) override {
    test::must(device == "eth0", "a device that does not exist was set up or down");
    return {true, {}};
  }
  ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                      std::chrono::milliseconds time) override {
    test::must(device == "eth0" && queue == 0, "a queue that does not exist was stalled");
    test::must(time.count() >= 1 && time.count() <= 60'000, "a stall out of its range");
    return {true, {}};
  }

 private:
  static const config::Cpus& cpus() {
    static const config::Cpus four = config::Cpus::first(4);
    return four;
  }
  static config::Result from_file() { return config::load_text(kConfig, "file", {}, cpus()); }
  ReloadOutcome take(config::Result result) {
    test::must(result.config.has_value() == result.diagnostics.empty(),
               "neither valid nor refused");
    if (!result) return {false, {config::to_string(result.diagnostics)}};
    config_ = std::move(*result.config);
    return {true, {"changed"}};
  }

  config::Config config_ = from_file().config.value();
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMost) return 0;
  const std::string_view text = test::text_of(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::size_t blank = std::min(text.find(' '), line);
  FuzzedTarget target;
  const config::Config before = target.config();
  const HttpReply reply = control_reply(
      {.method = std::string{text.substr(0, blank)},
       .path =
           std::string{text.substr(std::min(blank + 1, line), line - std::min(blank + 1, line))},
       .content_type = "application/json",
       .body = std::string{text.substr(std::min(line + 1, text.size()))}},
      target);
  test::must(reply.status == 200 || (reply.status >= 400 && reply.status < 500), "the status");
  test::must(reply.status == 200 || target.config() == before, "a refusal that changed something");
  return 0;
}
