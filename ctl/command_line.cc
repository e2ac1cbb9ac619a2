#include "ctl/command_line.h"

#include "ctl/exit_codes.h"

#ifdef __clang__
#define QDISCSIM_CTL_COMPILER "clang " __clang_version__
#else
#define QDISCSIM_CTL_COMPILER "gcc " __VERSION__
#endif

namespace qdiscsim::ctl {
namespace {

constexpr const char* kAbout =
    "Watches and steers a running qdiscsimd. Without --socket and --url it looks for the daemon's\n"
    "UNIX socket, then on http://127.0.0.1:9713, which is read-only.";

std::string footer() {
  std::string text = "Examples:\n";
  for (const Example& example : examples()) {
    text += std::string{"  "} + example.command + "\n      " + example.does + '\n';
  }
  text += "\nExit codes:\n";
  for (const ExitCode& code : kExitCodes) {
    text += "  " + std::to_string(code.code) + (code.code < 10 ? "   " : "  ") +
            std::string{code.meaning} + '\n';
  }
  return text;
}

class Builder {
 public:
  explicit Builder(Parsed& into) : into_{into} {}

  CLI::App* add(CLI::App& app, Command command, const char* name, const char* about) {
    CLI::App* const sub = app.add_subcommand(name, about);
    sub->fallthrough();
    sub->callback([this_into = &into_, command] { this_into->options.command = command; });
    return sub;
  }

  void words(CLI::App* sub, const char* name, const char* about) {
    sub->add_option(name, into_.words, about)->type_name("");
  }

  void json(CLI::App* sub) { sub->add_flag("-j,--json", into_.options.json, "as JSON"); }

  void repeats(CLI::App* sub, const char* what) {
    sub->add_option("-i,--interval", into_.options.interval,
                    "seconds from one look to the next (1)")
        ->check(CLI::Range(0.1, 3600.0))
        ->type_name("SECONDS");
    sub->add_option("-n,--count", into_.options.count, what)->type_name("N");
  }

 private:
  Parsed& into_;
};

void add_views(CLI::App& app, Parsed& into) {
  Builder build{into};
  Options& options = into.options;
  CLI::App* sub = build.add(app, Command::kStatus, "status",
                            "is it well? State, devices, account, generators that lag");
  build.json(sub);

  sub = build.add(app, Command::kTop, "top", "live view in the terminal; h shows the keys");
  build.repeats(sub, "with --batch: stop after so many views");
  sub->add_flag("-b,--batch", options.batch, "plain text, one view after the other");
  sub->add_flag("--once", into.once, "plain text, one view");
  sub->add_flag("--ascii", options.ascii, "bars of ASCII, whatever the locale");

  sub = build.add(app, Command::kQdisc, "qdisc", "the queues as tc shows them");
  build.words(sub, "WORDS", "[show] [dev NAME]");
  sub->add_flag("-s,--statistics", options.statistics, "with counters, as tc -s");
  build.json(sub);

  sub = build.add(app, Command::kPktgen, "pktgen",
                  "generators with the kernel's Result lines; start and stop a group");
  build.words(sub, "WORDS", "[show] [NAME [start|stop]]");
  build.json(sub);

  sub = build.add(app, Command::kPagepool, "pagepool", "page_pools as ethtool -S shows them");
  build.words(sub, "WORDS", "[show] [dev NAME]");
  build.json(sub);

  sub = build.add(app, Command::kWatch, "watch", "one line a second, as vmstat");
  build.repeats(sub, "stop after so many lines");
  build.json(sub);

  sub = build.add(app, Command::kReport, "report", "the final report as of now");
  build.json(sub);
  sub->add_flag("--markdown", options.markdown, "as Markdown (default)");

  build.add(app, Command::kConfig, "config", "the configuration in force, as YAML");
}

void add_changes(CLI::App& app, Parsed& into) {
  Builder build{into};
  CLI::App* sub = build.add(app, Command::kSet, "set",
                            "change live keys of a generator or a device until the next reload");
  build.words(sub, "WORDS",
              "generator|device NAME KEY=VALUE...: keys and values as in the configuration; a dot "
              "goes into a map; an empty value takes the key away");
  sub = build.add(app, Command::kDevice, "device", "link down and up; stall a queue's consumer");
  build.words(sub, "WORDS", "NAME down|up, NAME stall QUEUE MILLISECONDS");
  build.add(app, Command::kReload, "reload", "read the configuration file again");
}

void add_helpers(CLI::App& app, Parsed& into) {
  Builder build{into};
  CLI::App* sub = build.add(app, Command::kCompletion, "completion", "print a shell's completion");
  build.words(sub, "SHELL", "bash");
  sub = build.add(app, Command::kNames, "names", "devices or generators, one a line");
  build.words(sub, "WHAT", "devices|generators");
  sub->group("");
  build.add(app, Command::kManual, "manual", "the manual page, roff")->group("");
}

}  // namespace

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"qdiscsimctl top", "watch it live"},
      {"qdiscsimctl top --once | head -5", "one view, for a mail or a script"},
      {"qdiscsimctl qdisc show -s dev eth0", "as tc -s qdisc show dev eth0"},
      {"qdiscsimctl set generator mixed ratep=300kpps threads=3", "another rate, another thread"},
      {"qdiscsimctl set device eth0 link.rate=10Gbit", "a faster wire"},
      {"qdiscsimctl pktgen mixed stop", "end a group of generators"},
      {"qdiscsimctl device eth0 stall 0 250", "tx queue 0 is not served for 250 ms"},
      {"qdiscsimctl watch --json -n 60 >minute.jsonl", "a minute as JSON lines"},
      {"qdiscsimctl --url http://[::1]:9713 status", "over TCP"},
  };
  return all;
}

std::unique_ptr<CLI::App> make_command_line(Parsed& into) {
  auto app = std::make_unique<CLI::App>(kAbout, "qdiscsimctl");
  app->footer(footer());
  app->set_version_flag("--version",
                        "qdiscsimctl " QDISCSIM_VERSION " (" QDISCSIM_CTL_COMPILER ")");
  app->require_subcommand(1);
  auto* const socket = app->add_option("--socket", into.options.socket, "the daemon's UNIX socket")
                           ->type_name("PATH");
  app->add_option("--url", into.options.url, "the daemon's address, as in http://127.0.0.1:9713")
      ->type_name("URL")
      ->excludes(socket);
  add_views(*app, into);
  add_changes(*app, into);
  add_helpers(*app, into);
  return app;
}

}  // namespace qdiscsim::ctl
