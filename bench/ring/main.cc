// ring_bench: rings of pointers under the same workloads, one by one or compared.
//
//   ring_bench list
//   ring_bench -m spsc -N 10000000 --ring ptr_ring
//   ring_bench compare locked cas lanes -m mpsc --producers 2,4,8,16 --markdown
//
// The first SIGINT or SIGTERM ends the run in progress, which does not count, and shows what is
// known by then; the second ends it at once.
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "base/clock.h"
#include "bench/ring/commands.h"
#include "config/exit_codes.h"

namespace qdiscsim::ring_bench {
namespace {

volatile sig_atomic_t caught = 0;
std::atomic<bool> interrupt{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

extern "C" void remember(int signal) {
  caught = signal;
  interrupt.store(true, std::memory_order_relaxed);
}

void listen_to_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  return errno == EPIPE;  // the reader has what it wanted
}

int run(int argc, const char* const* argv) {
  const Registry registry = all_modes();
  Options options = parse_options(argc, argv, registry, config::Cpus::of_this_process());
  for (Setting& setting : options.settings) setting.params.interrupt = &interrupt;
  listen_to_signals();
  TscClock::calibrate();
  bool printed = true;
  const auto line = [&](const std::string& text) { printed &= print(text); };
  const Done done = execute(
      options, registry, [] { return interrupt.load(); }, line);
  line(done.text);
  if (!done.failure.empty()) std::fprintf(stderr, "ring_bench: %s\n", done.failure.c_str());
  if (!printed) {
    std::fprintf(stderr, "ring_bench: stdout: cannot be written: %s\n", std::strerror(errno));
    return config::kExitIo;
  }
  return caught != 0 ? 128 + caught : done.exit_code;
}

}  // namespace
}  // namespace qdiscsim::ring_bench

int main(int argc, char** argv) {
  try {
    return qdiscsim::ring_bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ring_bench: %s\n", error.what());
    return qdiscsim::config::kExitOs;
  }
}
