#include "pktgenfs/device.h"

#include <stdexcept>

#include "pktgen/result.h"
#include "pktgenfs/command.h"
#include "pktgenfs/print.h"
#include "pktgenfs/translate.h"

namespace qdiscsim::pktgenfs {

std::string_view interface_of(std::string_view device) noexcept {
  return device.substr(0, device.find('@'));
}

Device::Device(Backend& backend, const Rules& rules, std::string name, const Interface& interface,
               std::uint32_t thread, std::uint64_t seed)
    : backend_{backend},
      rules_{rules},
      name_{std::move(name)},
      interface_name_{interface_of(name_)},
      thread_{thread},
      seed_{seed},
      interface_{interface} {
  if (rules.shared_flag) settings_.flags = bit(Flag::kShared);
}

long Device::command(std::string_view text) {
  bool clears_counters = false;
  const long answer =
      run_command(text, rules_, interface_, settings_, current_, result_, clears_counters);
  if (clears_counters) {
    refresh();
    // A job that goes on counts on; what it has counted by now is taken off.
    cleared_.sofar += counters_.sofar;
    cleared_.errors += counters_.errors;
    cleared_.idle += counters_.idle;
    counters_.sofar = counters_.errors = counters_.idle = 0;
    counters_.sequence = 1;
  }
  return answer;
}

std::string Device::text() const {
  return print_device({name_, settings_, current_, interface_.mac, counters_, result_});
}

void Device::start() {
  remove();
  const auto interface = backend_.find_interface(interface_name_);
  if (!interface) {
    result_ = "Error starting";
    return;
  }
  interface_ = *interface;
  if (settings_.mode == TransmitMode::kQueueXmit && settings_.clone_skb > 1) {
    result_ = "ERROR: clone_skb with queue_xmit would queue one skb twice; set clone_skb 0";
    return;
  }
  settle(settings_, interface_);
  counters_ = {};
  counters_.sequence = 1;
  cleared_ = {};
  begin_run(current_, settings_, interface_);
  const GeneratorSettings job =
      generator_settings(settings_, current_, interface_, rules_, thread_, seed_);
  run_ = job.traffic;
  if (!interface_.up) {
    finish({});
    return;
  }
  try {
    job_ = backend_.start({name_, interface_name_, thread_, job});
    result_ = "Starting";
  } catch (const std::runtime_error& error) {
    result_ = std::string{"ERROR: "} + error.what();
  }
}

void Device::request_stop() {
  if (job_) backend_.request_stop(*job_);
}

void Device::remove() {
  if (!job_) return;
  backend_.request_stop(*job_);
  backend_.release(*job_);
  job_.reset();
}

void Device::refresh() {
  if (!job_) return;
  const JobProgress progress = backend_.progress(*job_);
  show(progress);
  if (progress.running) {
    if (progress.out_of_memory && result_ == "Starting") result_ = "No memory";
    return;
  }
  backend_.release(*job_);
  job_.reset();
  finish(progress);
}

void Device::show(const JobProgress& progress) {
  counters_.started = progress.started;
  counters_.stopped = progress.stopped;
  counters_.idle = progress.idle - cleared_.idle;
  counters_.sofar = progress.sofar - cleared_.sofar;
  counters_.errors = progress.errors - cleared_.errors;
  counters_.sequence = progress.sequence - static_cast<std::uint32_t>(cleared_.sofar);
  counters_.flows = progress.flows;
  counters_.imix = progress.imix;
  const bool built = progress.sofar + progress.errors != 0;
  if (!built) return;  // the values are still those of the start
  take_over(progress.current, run_, current_, settings_);
}

void Device::finish(const JobProgress& progress) {
  RunResult run;
  run.elapsed = progress.stopped - progress.started;
  run.idle = counters_.idle;
  run.sofar = counters_.sofar;
  run.size = current_.size;
  run.errors = counters_.errors;
  run.frags = progress.holds_skb ? frags_of(settings_, current_.size) : -1;
  run.mixed_sizes = !settings_.imix.empty();
  for (std::size_t i = 0; i < settings_.imix.size(); ++i) {
    run.bytes += settings_.imix[i].size * counters_.imix[i];
  }
  result_ = format_result(run);
}

}  // namespace qdiscsim::pktgenfs
