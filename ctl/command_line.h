// The command line as CLI11 has it: what parse_options, the manual page and the completion are made
// from.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "ctl/options.h"

namespace qdiscsim::ctl {

// Where the parser puts what it finds: options that are whole, and words still to be understood.
struct Parsed {
  Options options;
  std::vector<std::string> words;  // of the one subcommand that was named
  bool once = false;
};

struct Example {
  const char* command;
  const char* does;
};

// Refers to `into`, which must outlive it.
std::unique_ptr<CLI::App> make_command_line(Parsed& into);

const std::vector<Example>& examples();

}  // namespace qdiscsim::ctl
