#include "bench/ring/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>

#include "bench/ring/option_flags.h"
#include "bench/ring/option_values.h"
#include "config/exit_codes.h"
#include "config/suggest.h"

namespace qdiscsim::ring_bench {
namespace {

constexpr Nanoseconds kHour = 3600 * kSecond;

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
  check_size(*options.mode, options.settings[0].params.size);
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
  add_flags(app, options.command, typed);
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
