// The part of Service that changes a running data plane: the file again, or single settings.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "config/diff.h"
#include "config/print.h"
#include "daemon/logging.h"
#include "daemon/process_stats.h"
#include "daemon/service.h"
#include "text/units.h"

namespace qdiscsim {

ReloadOutcome Service::reload(const std::string& cause) {
  spdlog::info("{}: reading the configuration again", cause);
  options_.notifier.reloading();
  const Nanoseconds began = monotonic_ns();
  ReloadOutcome outcome = apply(options_.load);
  const double took = static_cast<double>(monotonic_ns() - began) / kSecond;
  if (outcome.applied) {
    state_.reload_succeeded(unix_time());
    if (const std::uint64_t changes = state_.changes(); changes != 0) {
      outcome.messages.push_back(count_of(changes, "change") +
                                 " made while running gave way to the file");
      state_.set_changes(0);
    }
    for (const std::string& message : outcome.messages) spdlog::info("reload: {}", message);
    spdlog::info("reload: applied in {}", format_duration(took));
  } else {
    state_.reload_failed();
    for (const std::string& message : outcome.messages) spdlog::error("reload: {}", message);
    spdlog::error("reload: refused, nothing has changed");
  }
  options_.notifier.ready(status());
  return outcome;
}

ReloadOutcome Service::reload_file() {
  return reload("control socket");
}

ReloadOutcome Service::change(const std::vector<config::Override>& overrides) {
  ReloadOutcome outcome = apply([&] { return options_.change(config_, overrides); });
  if (outcome.applied && !outcome.messages.empty()) state_.set_changes(state_.changes() + 1);
  for (const std::string& message : outcome.messages) {
    spdlog::info("control socket: {}{}", outcome.applied ? "" : "refused: ", message);
  }
  options_.notifier.status(status());
  return outcome;
}

namespace {

ReloadOutcome logged(ReloadOutcome outcome) {
  for (const std::string& message : outcome.messages) {
    spdlog::info("control socket: {}{}", outcome.applied ? "" : "refused: ", message);
  }
  return outcome;
}

}  // namespace

// No changes of the configuration: no reload takes them back.
ReloadOutcome Service::set_up(const std::string& device, bool up) {
  return logged(data_plane_->set_up(device, up));
}

ReloadOutcome Service::stall(const std::string& device, std::uint16_t queue,
                             std::chrono::milliseconds time) {
  return logged(data_plane_->stall(device, queue, time));
}

ReloadOutcome Service::apply(const std::function<config::Result()>& load) {
  ReloadOutcome outcome;
  try {
    config::Result result = load();
    for (const auto& diagnostic : result.diagnostics) {
      outcome.messages.push_back(config::to_string(diagnostic));
    }
    if (!result) {
      outcome.refusal = Refusal::kWrong;
      return outcome;
    }
    const auto changes = config::diff(config_, *result.config);
    if (config::needs_restart(changes)) {
      for (const auto& change : changes) {
        if (change.reload == config::Reload::kRestart) {
          outcome.messages.push_back(config::to_string(change));
        }
      }
      return outcome;
    }
    outcome = data_plane_->reload(*result.config);
    if (!outcome.applied) return outcome;
    if (outcome.messages.empty()) {
      for (const auto& change : changes) outcome.messages.push_back(config::to_string(change));
    }
    config_ = std::move(*result.config);
    state_.set_config(config::print(config_));
    set_log_level(config_.log.level);
    arm_duration();
  } catch (const std::exception& error) {
    outcome = {false, {error.what()}};
  }
  return outcome;
}

}  // namespace qdiscsim
