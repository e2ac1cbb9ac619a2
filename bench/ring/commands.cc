#include "bench/ring/commands.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>

#include "bench/ring/hardware_counters.h"
#include "bench/ring/progress.h"
#include "bench/ring/report.h"
#include "config/exit_codes.h"

namespace qdiscsim::ring_bench {
namespace {

std::string now_utc() {
  const time_t now = time(nullptr);
  tm parts{};
  std::array<char, 32> text{};
  gmtime_r(&now, &parts);
  strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

Circumstances before_all(const HardwareCounters& counters) {
  Circumstances at;
  at.date = now_utc();
  at.machine = read_machine();
  at.build = this_build();
  at.counters_missing = counters.why();
  at.before = read_load();
  return at;
}

void after_all(Circumstances& at) {
  at.after = read_load();
  at.disturbance = between(at.before, at.after, ticks_a_second());
}

Run run_once(const Variant& variant, const Params& params, HardwareCounters& counters) {
  Run run;
  counters.start();
  run.outcome = variant.run(params);
  run.counts = counters.stop();
  run.interrupted = params.interrupt != nullptr && params.interrupt->load();
  return run;
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string name_of(const Variant& variant, const Setting& setting) {
  return setting.label.empty() ? variant.name : variant.name + ", " + setting.label;
}

void add(std::string& failures, const std::string& failure) {
  if (!failures.empty()) failures += "; ";
  failures += failure;
}

Done run(const Options& options, const std::function<bool()>& stop,
         const std::function<void(const std::string&)>& line) {
  HardwareCounters counters;
  Circumstances at = before_all(counters);
  std::vector<Single> singles;
  Done done;
  for (const Setting& setting : options.settings) {
    for (const Variant* variant : options.variants) {
      for (std::size_t i = 0; i < options.repeat && !stop(); ++i) {
        const Single& single = singles.emplace_back(
            Single{&setting, variant, run_once(*variant, setting.params, counters)});
        if (single.run.interrupted) {
          singles.pop_back();
          break;
        }
        const std::string& error = single.run.outcome.error;
        if (!error.empty()) {
          done.exit_code = config::kExitSoftware;
          add(done.failure, name_of(*variant, setting) + ": " + error);
          break;  // it would only fail again
        }
        if (options.format == Format::kText) line(single_line(options, single));
      }
    }
  }
  after_all(at);
  if (options.format == Format::kMarkdown) done.text = singles_markdown(options, singles);
  if (options.format == Format::kJson) done.text = dump(singles_json(options, at, singles));
  return done;
}

// Shows each step on the progress line.
class Watch {
 public:
  Watch(const Options& options, Progress& progress) : options_{options}, progress_{progress} {}

  void step(const Setting& setting, const Step& step) {
    if (step.round <= 1 && step.run == 0) began_ = monotonic_ns();
    progress_.show({setting.label, step, options_.rules.least_rounds, options_.rules.most_rounds,
                    monotonic_ns() - began_, options_.rules.most_time});
  }

 private:
  const Options& options_;
  Progress& progress_;
  Nanoseconds began_ = 0;
};

Block measure_setting(const Options& options, const Setting& setting, HardwareCounters& counters,
                      Watch& watch, const std::function<bool()>& stop) {
  std::vector<Contender> contenders;
  for (const Variant* variant : options.variants) {
    contenders.push_back({variant->name, [variant, &setting, &counters] {
                            return run_once(*variant, setting.params, counters);
                          }});
  }
  Hooks hooks;
  hooks.before_run = [&](const Step& step) { watch.step(setting, step); };
  hooks.stop = stop;
  Block block{setting, measure(contenders, options.rules, hooks), {}};
  block.judged = judge(block.measured);
  return block;
}

Done compare(const Options& options, const std::function<bool()>& stop) {
  HardwareCounters counters;
  Circumstances at = before_all(counters);
  Progress progress{options.progress};
  Watch watch{options, progress};
  std::vector<Block> blocks;
  Done done;
  for (const Setting& setting : options.settings) {
    if (stop()) break;
    Block block = measure_setting(options, setting, counters, watch, stop);
    for (std::size_t i = 0; i + 1 < block.measured.series.size(); ++i) {  // the control is the base
      const Series& series = block.measured.series[i];
      if (series.error.empty()) continue;
      done.exit_code = config::kExitSoftware;
      const std::string where = setting.label.empty() ? "" : setting.label + ": ";
      add(done.failure, where + series.name + ": " + series.error);
    }
    const bool base_failed = !block.measured.series[0].error.empty();
    if (block.measured.rounds > 0 && !base_failed) blocks.push_back(std::move(block));
  }
  progress.clear();
  after_all(at);
  if (blocks.empty()) return done;
  done.text = options.format == Format::kJson ? dump(report_json(options, at, blocks))
                                              : report_text(options, at, blocks);
  return done;
}

}  // namespace

Done execute(const Options& options, const Registry& registry, const std::function<bool()>& stop,
             const std::function<void(const std::string&)>& line) {
  switch (options.command) {
    case Command::kRun:
      return run(options, stop, line);
    case Command::kCompare:
      return compare(options, stop);
    case Command::kList:
      return {config::kExitOk,
              options.format == Format::kJson ? dump(list_json(registry)) : list_text(registry),
              {}};
    case Command::kExit:
      break;
  }
  if (options.exit_code == config::kExitOk) return {config::kExitOk, options.text, {}};
  return {options.exit_code, {}, options.text};
}

}  // namespace qdiscsim::ring_bench
