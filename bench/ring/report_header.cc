#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/ring/report.h"
#include "bench/ring/report_table.h"

namespace qdiscsim::ring_bench {
namespace {

// Modes in which the number of producers means something.
bool has_workers(const std::string& mode) {
  return mode == "mpsc" || mode == "stress" || mode == "pfifo_fast";
}

template <class Value>
bool varies(const std::vector<Setting>& settings, Value Params::*member) {
  return std::any_of(settings.begin(), settings.end(), [&](const Setting& setting) {
    return setting.params.*member != settings[0].params.*member;
  });
}

std::string batch_words(const Params& params) {
  return params.batch == 0 ? ", random batches" : fmt::format(", batch {}", params.batch);
}

std::string ringtest_words(const Params& params) {
  std::string text = batch_words(params);
  if (params.outstanding > 0) text += fmt::format(", {} outstanding", params.outstanding);
  return text + (params.sleep ? ", sleeping" : ", polling");
}

const char* notification_words(const Params& params) {
  return params.event_index ? ", event index" : ", no event index";
}

std::string virtio_words(const Params& params) {
  std::string text = batch_words(params);
  if (params.delayed) text += ", delayed interrupts";
  text += notification_words(params);
  if (params.notify_always) text += ", notifications toggled always";
  if (params.reset_every > 0) text += fmt::format(", reset every {}", params.reset_every);
  return text;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace

std::string describe_workload(const Options& options) {
  const Params& params = options.settings[0].params;
  std::string text =
      fmt::format("mode {}: {} {}, capacity {}", options.mode->name,
                  count(static_cast<double>(params.count)), options.mode->item, params.size);
  if (has_workers(options.mode->name) && !varies(options.settings, &Params::producers)) {
    text += fmt::format(", {} {}{}", params.producers, worker_word(options.mode->name),
                        params.producers == 1 ? "" : "s");
  }
  if (!varies(options.settings, &Params::burst)) text += fmt::format(", burst {}", params.burst);
  text += fmt::format(", pop {}", params.pop);
  if (options.mode->name == "ringtest") text += ringtest_words(params);
  if (options.mode->name == "virtio_test") text += virtio_words(params);
  if (options.mode->name == "vhost_net") text += notification_words(params);
  return text;
}

std::string describe_pinning(const Options& options) {
  const std::vector<int>& cpus = options.settings[0].params.cpus;
  if (options.affinity_sweep) {
    return fmt::format("consumer on CPU {}, producers on each CPU in turn", cpus[0]);
  }
  if (cpus.empty()) return "unpinned";
  return fmt::format("thread by thread to CPU {}, the consumer first", fmt::join(cpus, ", "));
}

std::vector<std::pair<std::string, std::string>> header(const Options& options,
                                                        const Circumstances& at) {
  const Machine& machine = at.machine;
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("command", options.command_line);
  lines.emplace_back("workload", describe_workload(options));
  lines.emplace_back("pinning", describe_pinning(options));
  lines.emplace_back("CPU", machine.cpu + (machine.virtualised ? ", virtual machine" : ""));
  lines.emplace_back("CPUs", fmt::format("{}; {:.1f} GiB of memory", machine.cpus(),
                                         static_cast<double>(machine.memory_bytes) / 1073741824.0));
  lines.emplace_back("kernel", fmt::format("{}; governor {}", machine.kernel, machine.governor));
  lines.emplace_back("mitigations", machine.mitigations());
  lines.emplace_back(
      "load", fmt::format("average {:.2f} before, {:.2f} after; other processes used {} of "
                          "the CPU time, {} stolen",
                          at.before.average, at.after.average, percent(at.disturbance.others),
                          percent(at.disturbance.stolen)));
  lines.emplace_back("counters",
                     at.counters_missing.empty()
                         ? "user space, whole runs with their set-up"
                         : "hardware counters are not available here: " + at.counters_missing +
                               "; count instructions with valgrind --tool=callgrind "
                               "ring_bench run");
  lines.emplace_back("built with", at.build.compiler + ", " + at.build.flags);
  lines.emplace_back("commit", at.build.commit);
  lines.emplace_back("date", at.date);
  return lines;
}

std::vector<std::string> warnings(const Circumstances& at, const std::vector<Block>& blocks) {
  std::vector<std::string> result;
  for (const Block& block : blocks) {
    const std::string where = block.setting.label.empty() ? "" : block.setting.label + ": ";
    if (block.judged.noisy) {
      result.push_back(
          fmt::format("{}the A/A control shows a difference (ratio {}, p {:.3f}): this "
                      "machine is not quiet enough for these figures",
                      where, figure(block.judged.control.ratio), block.judged.control.p));
    }
    if (block.judged.few) {
      result.push_back(fmt::format("{}fewer than {} rounds: no verdict, and no figure to quote",
                                   where, kLeastRounds));
    }
    for (const Series& series : block.measured.series) {
      if (series.error.empty() || &series == &block.measured.series.back()) continue;
      result.push_back(fmt::format("{}{} failed: {}", where, series.name, series.error));
    }
    if (block.measured.stopped) {
      result.push_back(where + "interrupted; what was known by then is shown");
    }
  }
  if (at.disturbance.others > kMostOthers) {
    result.push_back("other processes used " + percent(at.disturbance.others) +
                     " of the CPU time: repeat this on an idle machine");
  }
  if (at.disturbance.stolen > kMostStolen) {
    result.push_back("the hypervisor gave " + percent(at.disturbance.stolen) +
                     " of the CPU time to others");
  }
  return result;
}

}  // namespace qdiscsim::ring_bench
