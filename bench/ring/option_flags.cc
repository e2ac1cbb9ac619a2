#include "bench/ring/option_flags.h"

namespace qdiscsim::ring_bench {
namespace {

constexpr const char* kCommands =
    "Commands:\n"
    "  run      each --ring once, or --repeat times; the default\n"
    "  compare  rings against the first one, interleaved, with statistics\n"
    "  list     modes and the rings that each can run\n"
    "`ring_bench COMMAND --help` says more.\n"
    "Exit codes: 0 done, 64 wrong command line, 70 a run failed a check, 130 interrupted.";

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

}  // namespace

void add_flags(CLI::App& app, Command command, Typed& typed) {
  app.footer(kCommands);
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
    app.add_option("--ring", typed.rings,
                   "which ring, or several with commas, or all (the mode's first)")
        ->delimiter(',')
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

}  // namespace qdiscsim::ring_bench
