#include "daemon/service.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "config/exit_codes.h"
#include "config/pages.h"
#include "config/print.h"
#include "config/units.h"
#include "daemon/control_socket.h"
#include "daemon/logging.h"
#include "daemon/process_stats.h"
#include "daemon/report.h"
#include "daemon/thread_hints.h"
#include "text/units.h"

namespace qdiscsim {
namespace {

using boost::system::error_code;

constexpr std::chrono::seconds kProgressPeriod{1};
constexpr std::chrono::milliseconds kFinishedPeriod{20};
constexpr std::chrono::milliseconds kWatchPeriod{250};
constexpr int kExitInterrupted = 130;

// The HTTP address cannot be had: told apart from what the data plane throws.
struct ListenError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::unique_ptr<HttpServer> listen(const config::Http& http) {
  try {
    return std::make_unique<HttpServer>(http.address, http.port);
  } catch (const std::runtime_error& error) {
    throw ListenError{error.what()};
  }
}

// From the first signal on, draining may take a while: the next one ends the process as it is.
void arm_second_signal() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    constexpr char kText[] = "\nqdiscsimd: second signal: stopped without draining\n";
    if (stderr_takes_more(std::chrono::milliseconds{0})) {
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
    }
    _exit(kExitInterrupted);
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void disarm_second_signal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void mask_signals(int how) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(how, &set, nullptr);
}

// Packets in the queues and on the driver's rings.
std::uint64_t waiting_packets(const Snapshot& snapshot) {
  std::uint64_t sum = 0;
  for (const DeviceSnapshot& device : snapshot.devices) {
    for (const QueueSnapshot& queue : device.queues) {
      sum += queue.requeue_backlog_packets + queue.driver_ring_packets;
      for (const BandSnapshot& band : queue.bands) sum += band.backlog_packets;
    }
  }
  return sum;
}

int fail(std::string_view message, int exit_code) {
  print_failure(message);
  return exit_code;
}

}  // namespace

void hold_signals_back() {
  mask_signals(SIG_BLOCK);
}

Service::Service(config::Config config, ServiceOptions options, MakeDataPlane make)
    : config_{std::move(config)}, options_{std::move(options)}, make_{std::move(make)} {}

// HTTP reads the data plane: it ends first.
Service::~Service() {
  server_.reset();
}

int Service::run() {
  try {
    return run_unprotected();
  } catch (const ListenError& error) {
    return fail(error.what(), config::kExitUnavailable);
  } catch (const UnusableConfiguration& error) {
    return fail(error.what(), config::kExitConfig);
  } catch (const std::bad_alloc&) {
    return fail(
        "memory: the system refuses more: choose a smaller memory.limit, fewer threads or "
        "shorter queues",
        config::kExitOs);
  } catch (const std::exception& error) {
    return fail(error.what(), config::kExitOs);
  }
}

int Service::run_unprotected() {
  const Nanoseconds since = options_.process_start != 0 ? options_.process_start : monotonic_ns();
  std::signal(SIGPIPE, SIG_IGN);  // a reader of stdout that left must not end the daemon
  std::signal(SIGXFSZ, SIG_IGN);  // nor must a capture file at the limit of file sizes
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) signals_.add(signal);
  start();
  mask_signals(SIG_UNBLOCK);
  short_slices();  // a reload keeps queues down while it waits for its turn
  announce_ready(since);
  control_.run();
  return shut_down();
}

// What --once waits for; with pktgen's control files there are generators that come later.
void Service::check_once() const {
  if (!options_.once || !config_.pktgen.control_fs.empty()) return;
  if (std::any_of(config_.generators.begin(), config_.generators.end(),
                  [](const auto& group) { return group.enabled; })) {
    return;
  }
  throw UnusableConfiguration{
      "generators: none is enabled, so that --once has nothing to wait for: set enabled: true for "
      "one, or run without --once"};
}

void Service::start() {
  check_once();
  server_ = listen(config_.http);
  listen_for_changes();
  data_plane_ = make_(config_);
  routes_ = std::make_unique<HttpRoutes>(*data_plane_, state_);
  routes_->set_control_socket(control_socket_);
  state_.set_config(config::print(config_));
  progress_ = std::make_unique<ProgressLine>(options_.progress);
  server_->start(*routes_);
  data_plane_->start();
  started_at_ = monotonic_ns();
  state_.started(unix_time(), started_at_);
  state_.set_phase(Phase::kReady);
}

// Answers are made on the control thread, one after the other and between its other work.
void Service::listen_for_changes() {
  control_socket_ = control_socket_path(config_.control.socket);
  if (control_socket_.empty()) return;
  try {
    server_->listen_for_changes(control_socket_);
  } catch (const std::runtime_error& error) {
    if (config_.control.socket != "auto") throw ListenError{error.what()};
    spdlog::warn("{}: this daemon can be changed by SIGHUP only", error.what());
    control_socket_.clear();
    return;
  }
  server_->on_change([this](ControlRequest request, std::function<void(HttpReply)> answer) {
    boost::asio::post(control_, [this, request = std::move(request), answer = std::move(answer)] {
      answer(control_reply(request, *this));
    });
  });
}

void Service::announce_ready(Nanoseconds since) {
  const Snapshot at_start = data_plane_->snapshot();
  spdlog::info("packet memory: {} pages of {} bytes, {}", at_start.arena_pages,
               at_start.arena_page_bytes, at_start.arena_backing);
  for (const DeviceSnapshot& device : at_start.devices) {
    if (device.capture) spdlog::info("{}: capture: to {}", device.name, device.capture->file);
  }
  if (config_.memory.limit_bytes == 0 &&
      config::arena_pages(config_) * config::kPageBytes > config::kLeastByDefault) {
    spdlog::info("memory.limit: not given: {} for what queues, generators and pools can hold",
                 config::format_quantity(config::arena_pages(config_) * config::kPageBytes,
                                         config::Quantity::kSize));
  }
  if (const std::string scarce = config::scarce_memory(config_, config::arena_pages(config_));
      !scarce.empty()) {
    spdlog::warn("{}", scarce);
  }
  spdlog::info("listening on http://{}", server_->address());
  if (!control_socket_.empty()) spdlog::info("control socket: {}", control_socket_);
  spdlog::info("ready in {} ms", (monotonic_ns() - since) / kMillisecond);
  options_.notifier.ready(status());
  signals_.async_wait([this](error_code error, int signal) {
    if (!error) on_signal(signal);
  });
  arm_duration();
  if (progress_->enabled()) tick_progress();
  if (options_.once) {
    if (std::none_of(config_.generators.begin(), config_.generators.end(),
                     [](const auto& group) { return group.enabled && config::has_end(group); })) {
      spdlog::warn(
          "--once waits for generators to reach their count or the end of a capture, but none has "
          "one: this runs until a signal; set generators[].count or --duration");
    }
    tick_finished();
  }
  if (options_.notifier.watchdog_period()) tick_watchdog();
  tick_watch();
}

// Whatever happens here, the process ends: there is nothing left to keep.
int Service::shut_down() {
  state_.set_phase(Phase::kStopping);
  options_.notifier.stopping("draining the queues");
  signals_.cancel();
  signals_.clear();
  arm_second_signal();
  progress_->clear();
  data_plane_->stop();
  const Snapshot last = data_plane_->snapshot();
  if (const std::uint64_t left = waiting_packets(last); left > 0) {
    spdlog::warn("the drain was given up after 1 s: {} packets still wait, see backlog", left);
  }
  for (const std::string& line : pages_out(last)) spdlog::warn("{}", line);
  const Nanoseconds elapsed = monotonic_ns() - started_at_;
  const Report report = make_report(last, elapsed);
  server_->stop();
  bool report_written = true;
  if (options_.report_to != nullptr) {
    report_written = std::fputs(report.text.c_str(), options_.report_to) >= 0 &&
                     std::fflush(options_.report_to) == 0;
  }
  const int write_error = errno;
  std::string file_error;
  try {
    if (options_.report_file) options_.report_file->write(last, elapsed);
  } catch (const std::system_error& error) {
    file_error = error.what();
  }
  disarm_second_signal();
  if (!file_error.empty()) return fail(file_error, config::kExitIo);
  if (!report_written && write_error != EPIPE) {
    return fail(std::string{"final report: cannot be written: "} + std::strerror(write_error),
                config::kExitIo);
  }
  if (report.exact) return config::kExitOk;
  return fail(
      "accounts: they do not add up: a bug in qdiscsim; please report it with the lines "
      "marked WRONG above",
      config::kExitSoftware);
}

void Service::on_signal(int signal) {
  if (signal == SIGHUP) {
    reload("SIGHUP");
    signals_.async_wait([this](error_code error, int next) {
      if (!error) on_signal(next);
    });
    return;
  }
  request_stop(signal == SIGINT ? "SIGINT" : "SIGTERM");
}

void Service::request_stop(const std::string& reason) {
  progress_->clear();
  spdlog::info("{}: draining the queues", reason);
  control_.stop();
}

// Counted from the start, so that a reload with the same duration changes nothing.
void Service::arm_duration() {
  duration_timer_.cancel();
  if (config_.duration_ns == 0) return;
  const Nanoseconds passed = monotonic_ns() - started_at_;
  const Nanoseconds left = config_.duration_ns - std::min(passed, config_.duration_ns);
  duration_timer_.expires_after(std::chrono::nanoseconds{left});
  duration_timer_.async_wait([this](error_code error) {
    if (!error) {
      request_stop(
          fmt::format("duration of {} is over",
                      format_duration(static_cast<double>(config_.duration_ns) / kSecond)));
    }
  });
}

void Service::tick_progress() {
  progress_->show(data_plane_->snapshot());
  progress_timer_.expires_after(kProgressPeriod);
  progress_timer_.async_wait([this](error_code error) {
    if (!error) tick_progress();
  });
}

void Service::tick_finished() {
  if (data_plane_->finished()) {
    request_stop("every generator has reached its end");
    return;
  }
  finished_timer_.expires_after(kFinishedPeriod);
  finished_timer_.async_wait([this](error_code error) {
    if (!error) tick_finished();
  });
}

// Not fed while a generator is stuck: systemd then restarts the daemon.
void Service::tick_watchdog() {
  if (liveness_.look(data_plane_->snapshot())) {
    options_.notifier.watchdog();
  } else {
    spdlog::error("generator {} does not move: the watchdog is not fed", liveness_.stuck());
  }
  watchdog_timer_.expires_after(*options_.notifier.watchdog_period());
  watchdog_timer_.async_wait([this](error_code error) {
    if (!error) tick_watchdog();
  });
}

// Queues that stand still: the qdiscs' own watchdog, and what nobody looks after. And page_pools
// whose end waits for pages: the kernel's delayed work of one second.
void Service::tick_watch() {
  for (const std::string& line : data_plane_->watch()) {
    progress_->clear();
    spdlog::warn("{}", line);
  }
  watch_timer_.expires_after(kWatchPeriod);
  watch_timer_.async_wait([this](error_code error) {
    if (!error) tick_watch();
  });
}

std::string Service::status() const {
  std::uint64_t threads = 0;
  for (const auto& group : config_.generators) threads += group.enabled ? group.threads : 0;
  return fmt::format("{} to {}, http://{}", count_of(threads, "generator thread"),
                     count_of(config_.devices.size(), "device"), server_->address());
}

}  // namespace qdiscsim
