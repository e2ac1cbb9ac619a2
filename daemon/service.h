// Service: the daemon's life, from a valid configuration to the final report.
//
//   bind HTTP -> build the data plane -> serve HTTP -> start the data plane -> READY
//   SIGHUP            read the file again and apply it, or change nothing and say why
//   UNIX socket       change single settings, until the next reload (daemon/control_routes.h)
//   SIGTERM, SIGINT, the duration, --once: drain, stop, report; a second signal ends at once
//                     with 130
//
// Threads: run() is the control thread and drives the data plane; HTTP has a thread of its own.
// The service owns the process's signals while run() lasts: one at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/config.h"
#include "config/loader.h"
#include "daemon/control_routes.h"
#include "daemon/daemon_state.h"
#include "daemon/http_routes.h"
#include "daemon/http_server.h"
#include "daemon/liveness.h"
#include "daemon/progress.h"
#include "daemon/report_file.h"
#include "daemon/sd_notify.h"
#include "daemon/source.h"

namespace qdiscsim {

struct ServiceOptions {
  std::function<config::Result()> load;  // reads the configuration again, for SIGHUP
  // A configuration with overrides, held to the same rules.
  std::function<config::Result(const config::Config&, const std::vector<config::Override>&)> change;
  bool progress = true;
  bool once = false;              // stop when every generator has reached its end
  Nanoseconds process_start = 0;  // monotonic; "ready in N ms" counts from here. 0 = run()
  std::FILE* report_to = stdout;  // null = no report
  std::shared_ptr<ReportFile> report_file;  // null = none
  SdNotifier notifier;
};

// Call first in main(): SIGHUP, SIGINT and SIGTERM wait until Service::run() answers them. Threads
// of the data plane inherit the mask, so that signals go to the control thread.
void hold_signals_back();

class Service : private ControlTarget {
 public:
  // Throws what the engine's constructor throws.
  using MakeDataPlane = std::function<std::unique_ptr<DataPlane>(const config::Config&)>;

  Service(config::Config config, ServiceOptions options, MakeDataPlane make);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() override;

  // Until something ends it. Returns the exit code (config/exit_codes.h); a failure was printed to
  // stderr as one line. Call once.
  int run();

  // The port in use; valid once the data plane was started. For tests.
  std::uint16_t port() const { return server_->port(); }

 private:
  int run_unprotected();
  void check_once() const;
  void start();
  void announce_ready(Nanoseconds since);
  int shut_down();

  void listen_for_changes();
  void on_signal(int signal);
  ReloadOutcome reload(const std::string& cause);
  ReloadOutcome apply(const std::function<config::Result()>& load);
  const config::Config& config() const override { return config_; }
  ReloadOutcome change(const std::vector<config::Override>& overrides) override;
  ReloadOutcome reload_file() override;
  ReloadOutcome set_up(const std::string& device, bool up) override;
  ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                      std::chrono::milliseconds time) override;
  void request_stop(const std::string& reason);

  void arm_duration();
  void tick_progress();
  void tick_finished();
  void tick_watchdog();
  void tick_watch();
  std::string status() const;

  config::Config config_;
  ServiceOptions options_;
  MakeDataPlane make_;
  DaemonState state_;
  Nanoseconds started_at_ = 0;
  Liveness liveness_;

  std::unique_ptr<DataPlane> data_plane_;
  std::unique_ptr<HttpRoutes> routes_;
  std::unique_ptr<HttpServer> server_;
  std::string control_socket_;  // path; empty = there is none
  std::unique_ptr<ProgressLine> progress_;

  boost::asio::io_context control_{1};
  boost::asio::signal_set signals_{control_};
  boost::asio::steady_timer duration_timer_{control_};
  boost::asio::steady_timer progress_timer_{control_};
  boost::asio::steady_timer finished_timer_{control_};
  boost::asio::steady_timer watchdog_timer_{control_};
  boost::asio::steady_timer watch_timer_{control_};
};

}  // namespace qdiscsim
