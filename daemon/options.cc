#include "daemon/options.h"

#include <CLI/CLI.hpp>

#include "config/exit_codes.h"
#include "daemon/version.h"

namespace qdiscsim {
namespace {

constexpr const char* kAbout =
    "Simulates the Linux packet transmit path in userspace: pktgen threads, pfifo_fast, "
    "page_pool.\n"
    "Figures at http://127.0.0.1:9713 (/metrics for Prometheus). SIGHUP reloads CONFIG, SIGTERM "
    "and\n"
    "SIGINT drain the queues and print the accounts.";

std::string exit_codes() {
  std::string text = "Exit codes:\n";
  for (const config::ExitCode& code : config::kExitCodes) {
    text += "  " + std::to_string(code.code) + "  " + std::string{code.meaning} + "\n";
  }
  return text;
}

std::string first_line(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

Options leave(int exit_code, std::string text) {
  Options options;
  options.action = Action::kExit;
  options.exit_code = exit_code;
  options.text = std::move(text);
  return options;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  bool check = false;
  bool print = false;
  bool metrics_reference = false;
  bool config_reference = false;
  bool no_progress = false;
  std::vector<std::string> set;
  std::string listen;
  std::string duration;
  std::string log_level;

  CLI::App app{kAbout, "qdiscsimd"};
  app.footer(exit_codes());
  app.set_version_flag("--version", std::string{"qdiscsimd "} + kVersion + " (" + kCompiler + ")");
  auto* file = app.add_option("CONFIG", options.config_path, "configuration file (YAML)");
  app.add_option("--set", set, "KEY=VALUE: overrides one key, as in generators[0].threads=4")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  app.add_option("--listen", listen,
                 "ADDRESS:PORT of the HTTP server; port 0 lets the system choose")
      ->type_name("ADDRESS:PORT");
  app.add_option("--duration", duration, "stop after this time, as in 5s; 0 runs until a signal")
      ->type_name("TIME");
  app.add_option("--log-level", log_level, "trace, debug, info, warning or error")
      ->type_name("LEVEL");
  app.add_flag("--once", options.once,
               "stop when every generator has sent its count or its "
               "capture");
  app.add_option("--report", options.report,
                 "write the final report to FILE too: JSON, or Markdown when it ends in .md")
      ->type_name("FILE");
  app.add_flag("--no-progress", no_progress, "no progress line on a terminal");
  auto* actions = app.add_option_group("Instead of running");
  actions->add_flag("--check-config", check, "report every mistake in CONFIG and stop");
  actions->add_flag("--print-config", print, "print CONFIG with every default filled in");
  auto* metrics = actions->add_flag("--print-metrics-reference", metrics_reference,
                                    "print the list of metrics (docs/metrics.md)");
  auto* reference = actions->add_flag("--print-config-reference", config_reference,
                                      "print the list of keys (docs/configuration.md)");
  actions->require_option(0, 1);
  file->excludes(metrics)->excludes(reference);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return leave(config::kExitOk, app.help());
  } catch (const CLI::CallForVersion& version) {
    return leave(config::kExitOk, std::string{version.what()} + "\n");
  } catch (const CLI::ParseError& error) {
    return leave(config::kExitUsage,
                 "command line: " + first_line(error.what()) + "; see qdiscsimd --help");
  }

  options.progress = !no_progress;
  options.overrides = {set.begin(), set.end()};
  // An IPv6 address in brackets would be a list in YAML: the value goes in quotes.
  if (!listen.empty()) options.overrides.emplace_back("http.listen='" + listen + "'", "--listen");
  if (!duration.empty()) options.overrides.emplace_back("duration=" + duration, "--duration");
  if (!log_level.empty()) options.overrides.emplace_back("log.level=" + log_level, "--log-level");
  if (check) options.action = Action::kCheckConfig;
  if (print) options.action = Action::kPrintConfig;
  if (metrics_reference) options.action = Action::kPrintMetricsReference;
  if (config_reference) options.action = Action::kPrintConfigReference;
  if (!metrics_reference && !config_reference && options.config_path.empty()) {
    return leave(
        config::kExitUsage,
        "command line: CONFIG is missing: name a configuration file; see qdiscsimd --help");
  }
  return options;
}

}  // namespace qdiscsim
