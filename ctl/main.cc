// qdiscsimctl: a command line, its command, and failures as lines on stderr.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "ctl/commands.h"
#include "ctl/exit_codes.h"
#include "ctl/failure.h"
#include "ctl/options.h"
#include "ctl/output.h"

namespace qdiscsim::ctl {
namespace {

// Each line that begins a message carries the program's name; those that belong to it are indented.
int complain(int exit_code, const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    out += (line.starts_with(' ') ? "" : "qdiscsimctl: ") + line + '\n';
    begin = end + 1;
  }
  std::fputs(out.c_str(), stderr);
  return exit_code;
}

int guarded(int argc, const char* const* argv) {
  try {
    const Options options = parse_options(argc, argv);
    if (options.command != Command::kExit) return run_command(options);
    if (options.exit_code != kExitOk) return complain(options.exit_code, options.text);
    print(options.text);
    return kExitOk;
  } catch (const Failure& failure) {
    return complain(failure.exit_code(), failure.what());
  } catch (const std::exception& error) {
    return complain(kExitDaemon, std::string{"unexpected: "} + error.what());
  }
}

}  // namespace
}  // namespace qdiscsim::ctl

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has gone is no failure
  return qdiscsim::ctl::guarded(argc, argv);
}
