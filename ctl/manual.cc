#include "ctl/manual.h"

#include "ctl/command_line.h"
#include "ctl/exit_codes.h"

namespace qdiscsim::ctl {
namespace {

// Text as roff shows it: no escape, no request at the beginning of a line.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + head + '\n' + roff(text) + '\n';
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    std::string head;
    for (const std::string& name : option->get_snames()) {
      head += (head.empty() ? "" : ", ") + bold('-' + name);
    }
    for (const std::string& name : option->get_lnames()) {
      head += (head.empty() ? "" : ", ") + bold("--" + name);
    }
    if (head.empty()) continue;  // words, which the synopsis shows
    const std::string value = option->get_type_size() > 0 ? option->get_type_name() : "";
    if (!value.empty()) head += " \\fI" + roff(value) + "\\fR";
    out += entry(head, option->get_description());
  }
  return out;
}

std::string words_of(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) return ' ' + roff(option->get_description());
  }
  return "";
}

std::string command_section(const CLI::App& app) {
  return ".SS " + roff(app.get_name()) + words_of(app) + '\n' + roff(app.get_description()) +
         ".\n" + options_of(app);
}

constexpr const char* kFiles =
    R"(.SH FILES
The daemon is looked for at these sockets, then at http://127.0.0.1:9713:
.TP
\fI$RUNTIME_DIRECTORY/control.sock\fR
.TQ
\fI$XDG_RUNTIME_DIR/qdiscsim/control.sock\fR
not for root
.TP
\fI/run/qdiscsim/control.sock\fR
the service's; whoever is in its group may change the daemon
.SH ENVIRONMENT
.TP
\fBNO_COLOR\fR
when it is set, top shows no colour
.TP
\fBLC_ALL\fR, \fBLC_CTYPE\fR, \fBLANG\fR
top draws its bars with block characters where the character set is UTF\-8, else with ASCII
.SH SEE ALSO
.BR qdiscsimd (8),
.BR tc (8)
)";

}  // namespace

std::string manual_page() {
  Parsed unused;
  const auto app = make_command_line(unused);
  std::string out = ".TH QDISCSIMCTL 1 \"\" \"qdiscsim " QDISCSIM_VERSION
                    "\" \"qdiscsim\"\n.SH NAME\nqdiscsimctl \\- watch and steer a running "
                    "qdiscsimd\n.SH SYNOPSIS\n.B qdiscsimctl\n[\\fB\\-\\-socket\\fR "
                    "\\fIPATH\\fR|\\fB\\-\\-url\\fR \\fIURL\\fR]\n\\fICOMMAND\\fR [...]\n"
                    ".SH DESCRIPTION\n" +
                    roff(app->get_description()) + "\n.SH OPTIONS\n" + options_of(*app) +
                    ".SH COMMANDS\n";
  for (const CLI::App* sub : app->get_subcommands([](CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) out += command_section(*sub);
  }
  out += ".SH EXAMPLES\n";
  for (const Example& example : examples()) out += entry(bold(example.command), example.does);
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& code : kExitCodes) {
    out += entry(bold(std::to_string(code.code)), std::string{code.meaning});
  }
  return out + kFiles;
}

}  // namespace qdiscsim::ctl
