// qdiscsimd: the command line's actions, and the service with the real engine.
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <system_error>

#include "base/clock.h"
#include "config/loader.h"
#include "config/print.h"
#include "config/reference.h"
#include "daemon/controlled_engine.h"
#include "daemon/logging.h"
#include "daemon/metrics_catalogue.h"
#include "daemon/options.h"
#include "daemon/pcap_loader.h"
#include "daemon/progress.h"
#include "daemon/report_file.h"
#include "daemon/sd_notify.h"
#include "daemon/service.h"

namespace qdiscsim {
namespace {

int print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return config::kExitOk;
  if (errno == EPIPE) return config::kExitOk;  // the reader has what it wanted
  print_failure(std::string{"stdout: cannot be written: "} + std::strerror(errno));
  return config::kExitIo;
}

// A standard descriptor that is closed would be given to the next file or socket that is opened,
// and the log would be written into that.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO) close(fd);
}

int leave(const Options& options) {
  if (options.exit_code == config::kExitOk) return print(options.text);
  print_failure(options.text);
  return options.exit_code;
}

// The configuration with its captures, or what is wrong with either. Reading a long capture shows
// on the terminal, and systemd hears that the daemon lives.
config::Result load(const Options& options, PcapLoader& captures) {
  config::Result result = config::load_file(options.config_path, options.overrides);
  if (options.action != Action::kPrintConfig) captures.load(result);
  return result;
}

void log_notes(const PcapLoader& captures) {
  for (const std::string& note : captures.notes()) spdlog::info("{}", note);
}

int serve(const Options& options, config::Config config, PcapLoader& captures,
          Nanoseconds process_start) {
  start_logging(detect_log_style(), config.log.level);
  log_notes(captures);
  TscClock::calibrate();
  ServiceOptions service_options;
  service_options.load = [&] {
    config::Result result = load(options, captures);
    log_notes(captures);
    return result;
  };
  service_options.change = [&](const config::Config& in_force,
                               const std::vector<config::Override>& overrides) {
    config::Result result =
        config::load_text(config::print(in_force), "configuration in force", overrides);
    captures.load(result);
    return result;
  };
  service_options.progress = options.progress;
  service_options.once = options.once;
  try {
    if (!options.report.empty()) {
      service_options.report_file = std::make_shared<ReportFile>(options.report);
    }
  } catch (const std::system_error& error) {
    print_failure(error.what());
    return config::kExitIo;
  }
  service_options.process_start = process_start;
  service_options.notifier = SdNotifier::from_environment();
  Service service{std::move(config), std::move(service_options), make_data_plane};
  return service.run();
}

int with_config(const Options& options, Nanoseconds process_start) {
  ProgressLine line{options.progress};
  SdNotifier notifier = SdNotifier::from_environment();
  PcapLoader captures{[&](const std::string& text) {
    line.show(text);
    if (notifier.watchdog_period()) notifier.watchdog();
  }};
  config::Result result = load(options, captures);
  line.clear();
  // As a compiler does, without the program's name, so that editors find FILE:LINE:COLUMN.
  for (const auto& diagnostic : result.diagnostics) {
    if (diagnostic.at.line > 0) {
      std::fprintf(stderr, "%s\n", config::to_string(diagnostic).c_str());
    } else {
      print_failure(config::to_string(diagnostic));
    }
  }
  if (!result) return result.exit_code;
  if (options.action == Action::kCheckConfig) return print(options.config_path + ": ok\n");
  if (options.action == Action::kPrintConfig) return print(config::print(*result.config));
  return serve(options, std::move(*result.config), captures, process_start);
}

int run(int argc, const char* const* argv) {
  const Nanoseconds process_start = monotonic_ns();
  const Options options = parse_options(argc, argv);
  switch (options.action) {
    case Action::kExit:
      return leave(options);
    case Action::kPrintMetricsReference:
      return print(metrics_reference_markdown());
    case Action::kPrintConfigReference:
      return print(config::reference_markdown());
    case Action::kCheckConfig:
    case Action::kPrintConfig:
    case Action::kRun:
      break;
  }
  return with_config(options, process_start);
}

// The system's words, and the way out where the limit of open files is all that is wrong.
std::string explain(const std::exception& error) {
  const auto* const system = dynamic_cast<const boost::system::system_error*>(&error);
  const bool no_files =
      system != nullptr && (system->code() == boost::system::errc::too_many_files_open ||
                            system->code() == boost::system::errc::too_many_files_open_in_system);
  return std::string{error.what()} +
         (no_files ? ": raise the limit of open files (ulimit -n, or LimitNOFILE= of the unit)"
                   : "");
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  qdiscsim::open_standard_descriptors();
  // A reload or a stop that is asked for early waits until the service can answer.
  qdiscsim::hold_signals_back();
  try {
    return qdiscsim::run(argc, argv);
  } catch (const std::exception& error) {
    qdiscsim::print_failure(qdiscsim::explain(error));
    return qdiscsim::config::kExitOs;
  }
}
