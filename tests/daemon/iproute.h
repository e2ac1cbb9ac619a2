// The real `ip` and `tc`, in a network namespace that the test makes and that ends with it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

namespace qdiscsim::test {

struct Outcome {
  int status = -1;
  std::string output;  // both streams
};

inline Outcome run_command(const std::string& command) {
  Outcome outcome;
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), got);
  }
  outcome.status = ::pclose(pipe);
  return outcome;
}

// Runs the script by bash -e, where there is no device but lo. Without root the network namespace
// needs a user namespace around it.
inline Outcome in_network_namespace(const std::string& script) {
  const std::string name =
      testing::TempDir() + "qdiscsim_netns_" + std::to_string(::getpid()) + ".sh";
  std::ofstream{name} << "set -e\nexport PATH=$PATH:/usr/sbin:/sbin\n" << script;
  const std::string flags = ::geteuid() == 0 ? "-n" : "-rn";
  Outcome outcome = run_command("timeout 60 unshare " + flags + " bash " + name + " </dev/null");
  std::remove(name.c_str());
  return outcome;
}

}  // namespace qdiscsim::test
