#include "bench/ring/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>

#include "bench/ring/option_values.h"
#include "config/exit_codes.h"
#include "config/suggest.h"

namespace qdiscsim::ring_bench {
namespace {

constexpr Nanoseconds kHour = 3600 * kSecond;

constexpr const char* kCommands =
    "Commands:\n"
    "  run      each --ring once, or --repeat times; the default\n"
    "  compare  rings against the first one, interleaved, with statistics\n"
    "  list     modes and the rings that each can run\n"
    "`ring_bench COMMAND --help` says more.\n"
    "Exit codes: 0 done, 64 wrong command line, 70 a run failed a check, 130 interrupted.";

using Text = std::optional<std::string>;

// What was typed, before it is judged.
struct Typed {
  std::vector<std::string> rings;
  std::string mode = "0";
  Text count, size, burst, pop, producers, pin, time_limit, seed;
  Text repeat, max_repeat, max_time, precision;
  Text outstanding, batch, reset;
  bool sleep = false;
  bool affinity_sweep = false;
  bool delayed = false, no_event_index = false, notify_always = false;
  bool json = false, markdown = false, no_progress = false;
};

void add_workload_options(CLI::App& app, Typed& typed) {
  app.add_option("-m,--mode", typed.mode,
                 "what to do with the ring: 0 simple, 1 spsc, 2 mpsc, or "
                 "a name out of `ring_bench list`")
      ->type_name("MODE");
  app.add_option("-N,--count", typed.count, "items in all (2000000)")->type_name("N");
  app.add_option("-s,--size", typed.size, "capacity of the ring, 2 to 10000000 (1024)")
      ->type_name("N");
  app.add_option("--burst", typed.burst, "items a produce call, or a list: 1,8,32 (1)")
      ->type_name("N,...");
  app.add_option("--pop", typed.pop, "items a consume call takes at most (32)")->type_name("N");
  app.add_option("--producers", typed.producers, "producing threads, or a list: 2,4,8,16 (2)")
      ->type_name("N,...");
  auto* pin = app.add_option("--pin", typed.pin,
                             "CPUs of the threads, the consumer's first; or none (none)")
                  ->type_name("CPUS");
  app.add_flag("--affinity-sweep", typed.affinity_sweep,
               "the consumer on the last CPU, the producers on each CPU in turn")
      ->excludes(pin);
  app.add_option("--time-limit", typed.time_limit, "of one run, which fails then (60s)")
      ->type_name("TIME");
  app.add_option("--seed", typed.seed, "of random numbers and of the order of runs (1)")
      ->type_name("N");
  auto* virtio = app.add_option_group("Of ringtest and virtio_test");
  virtio
      ->add_option("--outstanding", typed.outstanding,
                   "ringtest: buffers under way at most (as many as -s)")
      ->type_name("N");
  virtio->add_flag("--sleep", typed.sleep,
                   "ringtest: an idle side sleeps until it is notified, instead of polling");
  virtio->add_option("--batch", typed.batch, "buffers before a kick, or random (1)")
      ->type_name("N|random");
  virtio->add_flag("--delayed-interrupt", typed.delayed, "ask for interrupts late");
  virtio->add_flag("--no-event-index", typed.no_event_index, "notifications by flag");
  virtio->add_flag("--notify-always", typed.notify_always,
                   "the host turns notifications on and off on every cycle");
  virtio->add_option("--reset", typed.reset, "buffers between resets of the ring, 0 never (0)")
      ->type_name("N");
}

void add_output_options(CLI::App& app, Typed& typed) {
  auto* markdown = app.add_flag("--markdown", typed.markdown, "output to be pasted elsewhere");
  app.add_flag("--json", typed.json, "every single value")->excludes(markdown);
}

void add_options(CLI::App& app, Command command, Typed& typed) {
  if (command == Command::kCompare) {
    app.add_option("RING", typed.rings, "the base, then what to compare with it; or all")
        ->required();
    app.add_option("--repeat,--repetitions", typed.repeat, "rounds at least (9)")->type_name("N");
    app.add_option("--max-repeat", typed.max_repeat, "rounds at most (100)")->type_name("N");
    app.add_option("--max-time", typed.max_time, "no round beyond the least after this (2min)")
        ->type_name("TIME");
    app.add_option("--precision", typed.precision,
                   "percent: go on until half the interval of each ratio is below (1)")
        ->type_name("P");
    app.add_flag("--no-progress", typed.no_progress, "no progress line on a terminal");
  } else if (command == Command::kRun) {
    app.add_option("--ring", typed.rings, "which ring, or all (the mode's first)")
        ->allow_extra_args(false)
        ->type_name("NAME");
    app.add_option("--repeat,--repetitions", typed.repeat, "runs of each (1)")->type_name("N");
  }
  if (command == Command::kList) {
    app.add_flag("--json", typed.json, "as JSON");
  } else {
    add_workload_options(app, typed);
    add_output_options(app, typed);
  }
}

std::uint64_t number_or(std::string_view flag, const Text& text, Range range,
                        std::uint64_t otherwise) {
  return text ? number(flag, *text, range) : otherwise;
}

Params common_params(const Typed& typed, const config::Cpus& cpus) {
  Params params;
  params.count = number_or("-N", typed.count, kCountRange, params.count);
  params.size = number_or("-s", typed.size, kSizeRange, params.size);
  params.pop = number_or("--pop", typed.pop, {1, kMaxBurst}, params.pop);
  params.seed = number_or("--seed", typed.seed, kAnyRange, params.seed);
  if (typed.pin) params.cpus = cpu_list("--pin", *typed.pin, cpus);
  if (typed.time_limit) {
    params.time_limit = duration("--time-limit", *typed.time_limit, kMillisecond, kHour);
  }
  if (typed.batch == "random") {
    params.batch = 0;
  } else if (typed.batch) {
    params.batch = number("--batch", *typed.batch, {1, kSizeRange.high}, ", or random");
  }
  params.outstanding = number_or("--outstanding", typed.outstanding, {1, kSizeRange.high}, 0);
  params.sleep = typed.sleep;
  params.reset_every = number_or("--reset", typed.reset, kAnyRange, 0);
  params.delayed = typed.delayed;
  params.event_index = !typed.no_event_index;
  params.notify_always = typed.notify_always;
  return params;
}

std::string label(const Params& params, const char* producers, bool burst, bool cpus) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (producers != nullptr) {
    add(fmt::format("{} {}{}", params.producers, producers, params.producers == 1 ? "" : "s"));
  }
  if (burst) add(fmt::format("burst {}", params.burst));
  if (cpus) add(fmt::format("CPU {} to CPU {}", params.cpus[1], params.cpus[0]));
  return text;
}

// Every combination of the lists, the producers changing slowest.
std::vector<Setting> settings(const Typed& typed, const std::string& mode,
                              const config::Cpus& cpus) {
  const Params common = common_params(typed, cpus);
  const auto list = [](std::string_view flag, const Text& text, Range range,
                       std::uint64_t otherwise) {
    return text ? numbers(flag, *text, range) : std::vector{otherwise};
  };
  const auto producers = list("--producers", typed.producers, kProducersRange, common.producers);
  const auto bursts = list("--burst", typed.burst, {1, kMaxBurst}, common.burst);
  std::vector<std::uint32_t> others = cpus.allowed;
  if (!typed.affinity_sweep) others.resize(1);

  std::vector<Setting> result;
  for (const std::uint64_t p : producers) {
    for (const std::uint64_t b : bursts) {
      for (const std::uint32_t cpu : others) {
        Setting setting{{}, common};
        setting.params.producers = static_cast<unsigned>(p);
        setting.params.burst = b;
        if (typed.affinity_sweep) {
          setting.params.cpus.assign(p + 1, static_cast<int>(cpu));
          setting.params.cpus[0] = static_cast<int>(cpus.allowed.back());
        }
        setting.label = label(setting.params, producers.size() > 1 ? worker_word(mode) : nullptr,
                              bursts.size() > 1, typed.affinity_sweep);
        result.push_back(std::move(setting));
      }
    }
  }
  return result;
}

Rules rules(const Typed& typed, std::uint64_t seed) {
  Rules result;
  result.seed = seed;
  result.least_rounds = number_or("--repeat", typed.repeat, kRepeatRange, result.least_rounds);
  result.most_rounds =
      number_or("--max-repeat", typed.max_repeat, {result.least_rounds, kRepeatRange.high},
                std::max(result.most_rounds, result.least_rounds));
  if (typed.max_time) {
    result.most_time = duration("--max-time", *typed.max_time, kMillisecond, 24 * kHour);
  }
  if (typed.precision) {
    result.precision = percent("--precision", *typed.precision, 0.01, 100) / 100;
  }
  return result;
}

void judge_typed(Options& options, const Typed& typed, const Registry& registry,
                 const config::Cpus& cpus) {
  options.progress = !typed.no_progress;
  options.affinity_sweep = typed.affinity_sweep;
  options.format = typed.json ? Format::kJson : typed.markdown ? Format::kMarkdown : Format::kText;
  if (options.command == Command::kList) return;
  options.mode = &find_mode(registry, typed.mode);
  if (options.mode->variants.empty()) {
    throw BadOption{
        fmt::format("mode {} has no ring in this build; ring_bench list shows what "
                    "there is",
                    options.mode->name)};
  }
  options.settings = settings(typed, options.mode->name, cpus);
  if (typed.rings.empty()) {
    options.variants = {&options.mode->variants.front()};
  } else {
    options.variants = find_variants(*options.mode, typed.rings);
  }
  if (options.command == Command::kCompare) {
    if (options.variants.size() < 2) throw BadOption{"compare needs two rings or more"};
    options.rules = rules(typed, options.settings[0].params.seed);
  } else {
    options.repeat = number_or("--repeat", typed.repeat, kRepeatRange, 1);
  }
}

Options leave(int exit_code, std::string text) {
  Options options;
  options.command = Command::kExit;
  options.exit_code = exit_code;
  options.text = std::move(text);
  return options;
}

std::string first_line(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  return text;
}

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789-_=+.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + "'";
}

}  // namespace

const char* worker_word(const std::string& mode) {
  if (mode == "stress") return "worker";
  if (mode == "pfifo_fast") return "thread";
  return "producer";
}

Options parse_options(int argc, const char* const* argv, const Registry& registry,
                      const config::Cpus& cpus) {
  const std::vector<std::pair<std::string, Command>> commands = {
      {"run", Command::kRun}, {"compare", Command::kCompare}, {"list", Command::kList}};
  Options options;
  std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
  options.command_line = "ring_bench";
  for (const std::string& word : words) options.command_line += " " + quoted_for_shell(word);

  std::string title = "ring_bench";
  if (!words.empty() && !words[0].starts_with('-')) {
    const auto known = std::find_if(commands.begin(), commands.end(),
                                    [&](const auto& c) { return c.first == words[0]; });
    if (known == commands.end()) {
      const auto meant = config::closest(words[0], {"run", "compare", "list"});
      return leave(config::kExitUsage,
                   fmt::format("no such command: {}; {}", words[0],
                               meant ? "did you mean " + *meant + "?"
                                     : "the commands are run, compare and list"));
    }
    options.command = known->second;
    title += " " + words[0];
    words.erase(words.begin());
  }

  Typed typed;
  CLI::App app{"Runs rings of pointers under the same workloads, and compares them.", title};
  app.footer(kCommands);
  add_options(app, options.command, typed);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
    judge_typed(options, typed, registry, cpus);
  } catch (const CLI::CallForHelp&) {
    return leave(config::kExitOk, app.help());
  } catch (const CLI::ParseError& error) {
    return leave(config::kExitUsage, first_line(error.what()) + "; see " + title + " --help");
  } catch (const BadOption& error) {
    return leave(config::kExitUsage, error.what());
  }
  return options;
}

}  // namespace qdiscsim::ring_bench
