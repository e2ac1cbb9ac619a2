// Failure: why a command cannot go on, in lines that name the thing, the place and the way out, and
// the exit status that goes with it (ctl/exit_codes.h).
#pragma once

#include <stdexcept>
#include <string>

namespace qdiscsim::ctl {

class Failure : public std::runtime_error {
 public:
  // text: one or more lines, without a line feed at the end and without the program's name.
  Failure(int exit_code, const std::string& text)
      : std::runtime_error{text}, exit_code_{exit_code} {}

  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace qdiscsim::ctl
