#include "ctl/options.h"

#include <algorithm>
#include <charconv>

#include "ctl/command_line.h"
#include "ctl/exit_codes.h"

namespace qdiscsim::ctl {
namespace {

using Words = std::vector<std::string>;

// What is wrong with the words behind a command; "" = nothing.
using Mistake = std::string;

Options leave_with(int exit_code, std::string text) {
  Options options;
  options.exit_code = exit_code;
  options.text = std::move(text);
  return options;
}

bool is_show(const std::string& word) {
  return word == "show" || word == "list" || word == "ls";
}

Mistake read_device_filter(Words words, Options& options) {
  if (!words.empty() && is_show(words.front())) words.erase(words.begin());
  if (words.empty()) return "";
  if (words.size() != 2 || words[0] != "dev") {
    return "what follows must be [show] [dev NAME], not " + words[0];
  }
  options.device = words[1];
  return "";
}

Mistake read_pktgen(Words words, Options& options) {
  const bool show = !words.empty() && is_show(words.front());
  if (show) words.erase(words.begin());
  if (words.empty()) return "";
  options.generator = words[0];
  if (words.size() == 1) return "";
  options.action = words[1];
  if (show || words.size() > 2 || (options.action != "start" && options.action != "stop")) {
    return "what follows must be [show] [NAME] or NAME start|stop, not " + words[1];
  }
  return "";
}

Mistake read_set(const Words& words, Options& options) {
  constexpr const char* kForm = "what follows must be generator|device NAME KEY=VALUE...";
  if (words.size() < 3) return kForm;
  if (words[0] == "generator") {
    options.generator = words[1];
  } else if (words[0] == "device") {
    options.device = words[1];
  } else {
    return std::string{kForm} + ", not " + words[0];
  }
  options.settings.assign(words.begin() + 2, words.end());
  for (const std::string& setting : options.settings) {
    if (setting.find('=') == std::string::npos || setting.starts_with('=')) {
      return setting + " is not KEY=VALUE";
    }
  }
  return "";
}

bool read_number(const std::string& text, unsigned& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

Mistake read_device(const Words& words, Options& options) {
  constexpr const char* kForm =
      "what follows must be NAME down|up or NAME stall QUEUE MILLISECONDS";
  if (words.size() < 2) return kForm;
  options.device = words[0];
  options.action = words[1];
  if (options.action == "down" || options.action == "up") return words.size() == 2 ? "" : kForm;
  if (options.action != "stall" || words.size() != 4) return kForm;
  if (!read_number(words[2], options.queue)) return "the queue must be a number, not " + words[2];
  if (!read_number(words[3], options.stall_ms)) {
    return "the milliseconds must be a number, not " + words[3];
  }
  return "";
}

Mistake read_words(const Words& words, Options& options) {
  switch (options.command) {
    case Command::kQdisc:
    case Command::kPagepool:
      return read_device_filter(words, options);
    case Command::kPktgen:
      return read_pktgen(words, options);
    case Command::kSet:
      return read_set(words, options);
    case Command::kDevice:
      return read_device(words, options);
    case Command::kCompletion:
      return words == Words{"bash"} ? "" : "the shell must be bash";
    case Command::kNames:
      if (words.size() != 1) return "one of devices, generators";
      options.action = words[0];
      return "";
    case Command::kReport:
      return options.json && options.markdown ? "--json or --markdown, not both" : "";
    default:
      return "";
  }
}

std::string one_line(std::string text) {
  text.erase(std::min(text.find('\n'), text.size()));
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Parsed parsed;
  const auto app = make_command_line(parsed);
  try {
    app->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return leave_with(kExitOk, app->help());
  } catch (const CLI::CallForVersion& version) {
    return leave_with(kExitOk, std::string{version.what()} + '\n');
  } catch (const CLI::ParseError& error) {
    return leave_with(kExitUsage,
                      "command line: " + one_line(error.what()) + "; see qdiscsimctl --help");
  }
  Options& options = parsed.options;
  if (parsed.once) {
    options.batch = true;
    options.count = 1;
  }
  const Mistake mistake = read_words(parsed.words, options);
  if (!mistake.empty()) {
    const std::string name = app->get_subcommands().front()->get_name();
    return leave_with(kExitUsage, "command line: " + name + ": " + mistake + "; see qdiscsimctl " +
                                      name + " --help");
  }
  return options;
}

}  // namespace qdiscsim::ctl
