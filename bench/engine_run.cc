// engine_run: the data plane of a configuration without the daemon around it, for benches.
//
//   engine_run CONFIG --seconds 5 --warmup 1 --set generators[0].threads=8 --json
//
// Runs the Engine, reads two snapshots, prints what happened between them as rates, stops, and
// checks the law of accounts. Nothing else runs: no HTTP, no scrape, no progress line.
//
// Rates are packets per second of CLOCK_MONOTONIC, read beside each snapshot: not of the clock that
// paces the wires, so that an error of that clock would show. Exit codes: those of qdiscsimd
// (config/exit_codes.h); 70 when the law does not hold.
#include <time.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/loader.h"
#include "daemon/engine.h"

namespace qdiscsim {
namespace {

using nlohmann::ordered_json;

struct Arguments {
  std::string config;
  std::vector<std::string> set;
  double seconds = 5;
  double warmup = 1;
  bool json = false;
};

struct Reading {
  Nanoseconds at;  // CLOCK_MONOTONIC, in the middle of the snapshot
  Snapshot snapshot;
};

void sleep_seconds(double seconds) {
  timespec wake{};
  clock_gettime(CLOCK_MONOTONIC, &wake);
  const auto ns = static_cast<Nanoseconds>(seconds * 1e9) + static_cast<Nanoseconds>(wake.tv_nsec);
  wake.tv_sec += static_cast<time_t>(ns / kSecond);
  wake.tv_nsec = static_cast<long>(ns % kSecond);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) != 0) {
  }
}

Reading read(const Engine& engine) {
  const Nanoseconds before = monotonic_ns();
  Reading reading{before, engine.snapshot()};
  reading.at += (monotonic_ns() - before) / 2;
  return reading;
}

// What happened between two readings.
class Interval {
 public:
  Interval(const Reading& first, const Reading& last)
      : first_{first.snapshot},
        last_{last.snapshot},
        seconds_{static_cast<double>(last.at - first.at) / 1e9} {}

  ordered_json describe() const {
    ordered_json out;
    out["seconds"] = seconds_;
    out["memory"] = last_.arena_backing;
    for (std::size_t i = 0; i < last_.devices.size(); ++i) {
      out["devices"].push_back(device(first_.devices[i], last_.devices[i]));
    }
    out["generators"] = ordered_json::array();
    for (std::size_t i = 0; i < last_.generators.size(); ++i) {
      out["generators"].push_back(generator(first_.generators[i], last_.generators[i]));
      out["generators"].back()["page_pool"] = pool(first_.pools[i], last_.pools[i]);
    }
    return out;
  }

 private:
  double rate(std::uint64_t before, std::uint64_t after) const {
    return static_cast<double>(after - before) / seconds_;
  }

  ordered_json device(const DeviceSnapshot& before, const DeviceSnapshot& after) const {
    ordered_json out{{"name", after.name}, {"link", after.link}};
    double tx = 0;
    ordered_json queues;
    for (std::size_t i = 0; i < after.queues.size(); ++i) {
      queues.push_back(queue(before.queues[i], after.queues[i]));
      tx += rate(before.queues[i].tx_packets, after.queues[i].tx_packets);
    }
    out["tx_pps"] = tx;
    out["received_pps"] = rate(before.received_packets, after.received_packets);
    out["catch_up_seconds"] = after.link_catch_up_seconds - before.link_catch_up_seconds;
    out["queues"] = queues;
    return out;
  }

  ordered_json queue(const QueueSnapshot& before, const QueueSnapshot& after) const {
    ordered_json out{{"tx_pps", rate(before.tx_packets, after.tx_packets)},
                     {"direct_pps", rate(before.direct_packets, after.direct_packets)}};
    for (std::size_t i = 0; i < kBands; ++i) {
      const BandSnapshot& a = before.bands[i];
      const BandSnapshot& b = after.bands[i];
      const std::uint64_t dropped_a = a.dropped_overlimit + a.dropped_deactivated;
      const std::uint64_t dropped_b = b.dropped_overlimit + b.dropped_deactivated;
      out["bands"].push_back({{"enqueued_pps", rate(a.enqueued_packets, b.enqueued_packets)},
                              {"bypassed_pps", rate(a.bypassed_packets, b.bypassed_packets)},
                              {"dropped_pps", rate(dropped_a, dropped_b)},
                              {"dropped_since_start", dropped_b},
                              {"backlog_packets", b.backlog_packets}});
    }
    return out;
  }

  ordered_json generator(const GeneratorSnapshot& before, const GeneratorSnapshot& after) const {
    return {{"name", after.group + "/" + after.thread},
            {"offered_pps", rate(before.offered_packets, after.offered_packets)},
            {"sent_pps", rate(before.sent_packets, after.sent_packets)},
            {"no_memory_per_second", rate(before.no_memory, after.no_memory)},
            {"configured_pps", after.configured_pps},
            {"behind_seconds", after.behind_seconds},
            {"behind_seconds_max", after.behind_seconds_max}};
  }

  // Where pages came from and went to, as shares of 1.
  static ordered_json pool(const PoolSnapshot& before, const PoolSnapshot& after) {
    const auto share = [](std::uint64_t part, std::uint64_t all) {
      return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
    };
    const std::uint64_t fast = after.stats.alloc_fast - before.stats.alloc_fast;
    const std::uint64_t refill = after.stats.alloc_refill - before.stats.alloc_refill;
    const std::uint64_t slow = after.stats.alloc_slow - before.stats.alloc_slow;
    const std::uint64_t cached = after.stats.recycle_cached - before.stats.recycle_cached;
    const std::uint64_t ring = after.stats.recycle_ring - before.stats.recycle_ring;
    const std::uint64_t lost = after.stats.recycle_ring_full - before.stats.recycle_ring_full +
                               after.stats.recycle_released_refcnt -
                               before.stats.recycle_released_refcnt;
    const std::uint64_t allocated = fast + refill + slow;
    const std::uint64_t recycled = cached + ring + lost;
    return {{"alloc_fast", share(fast, allocated)},  {"alloc_refill", share(refill, allocated)},
            {"alloc_slow", share(slow, allocated)},  {"recycle_cached", share(cached, recycled)},
            {"recycle_ring", share(ring, recycled)}, {"recycle_lost", share(lost, recycled)},
            {"inflight_pages", after.inflight_pages}};
  }

  const Snapshot& first_;
  const Snapshot& last_;
  double seconds_;
};

double number(const ordered_json& object, const char* key) {
  return object.at(key).get<double>();
}

void print_text(const ordered_json& out) {
  std::printf("measured for %.3f s, packet memory in %s\n", number(out, "seconds"),
              out.at("memory").get<std::string>().c_str());
  for (const auto& device : out.at("devices")) {
    std::printf("device %s (%s): %.0f packets/s sent\n",
                device.at("name").get<std::string>().c_str(),
                device.at("link").get<std::string>().c_str(), number(device, "tx_pps"));
    for (std::size_t q = 0; q < device.at("queues").size(); ++q) {
      const auto& bands = device.at("queues")[q].at("bands");
      for (std::size_t b = 0; b < bands.size(); ++b) {
        std::printf("  queue %zu band %zu, packets/s: %.0f enqueued, %.0f bypassed, %.0f dropped\n",
                    q, b, number(bands[b], "enqueued_pps"), number(bands[b], "bypassed_pps"),
                    number(bands[b], "dropped_pps"));
      }
    }
  }
  for (const auto& generator : out.at("generators")) {
    const auto& pool = generator.at("page_pool");
    std::printf(
        "generator %s: %.0f packets/s sent, behind by %.6f s (at most %.6f)\n"
        "  pages from cache %.1f %%, ring %.1f %%, allocator %.1f %%; back to cache %.1f %%, "
        "ring %.1f %%, allocator %.1f %%\n",
        generator.at("name").get<std::string>().c_str(), number(generator, "sent_pps"),
        number(generator, "behind_seconds"), number(generator, "behind_seconds_max"),
        100 * number(pool, "alloc_fast"), 100 * number(pool, "alloc_refill"),
        100 * number(pool, "alloc_slow"), 100 * number(pool, "recycle_cached"),
        100 * number(pool, "recycle_ring"), 100 * number(pool, "recycle_lost"));
  }
  std::printf("law of accounts: %s\n", out.at("broken_laws").empty() ? "holds" : "BROKEN");
}

int run(const Arguments& arguments) {
  const std::vector<config::Override> overrides{arguments.set.begin(), arguments.set.end()};
  const config::Result loaded = config::load_file(arguments.config, overrides);
  if (!loaded) {
    std::fputs(config::to_string(loaded.diagnostics).c_str(), stderr);
    return loaded.exit_code;
  }
  Engine engine{*loaded.config};
  engine.start();
  sleep_seconds(arguments.warmup);
  const Reading first = read(engine);
  sleep_seconds(arguments.seconds);
  const Reading last = read(engine);
  engine.stop();

  ordered_json out = Interval{first, last}.describe();
  std::vector<std::string> broken = engine.snapshot().broken_laws;
  for (const Reading* reading : {&first, &last}) {
    broken.insert(broken.end(), reading->snapshot.broken_laws.begin(),
                  reading->snapshot.broken_laws.end());
  }
  out["broken_laws"] = broken;
  if (arguments.json) {
    std::printf("%s\n", out.dump().c_str());
  } else {
    print_text(out);
  }
  for (const std::string& law : broken) {
    std::fprintf(stderr, "engine_run: broken law: %s\n", law.c_str());
  }
  return broken.empty() ? config::kExitOk : config::kExitSoftware;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  qdiscsim::Arguments arguments;
  CLI::App app{"Runs a configuration's data plane and prints rates between two readings."};
  app.add_option("CONFIG", arguments.config, "configuration file (YAML)")->required();
  app.add_option("--seconds", arguments.seconds, "between the two readings")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  app.add_option("--warmup", arguments.warmup, "seconds before the first reading")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app.add_option("--set", arguments.set, "KEY=VALUE: overrides one key")->allow_extra_args(false);
  app.add_flag("--json", arguments.json, "one JSON object instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? qdiscsim::config::kExitOk : qdiscsim::config::kExitUsage;
  }
  try {
    return qdiscsim::run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "engine_run: %s\n", error.what());
    return qdiscsim::config::kExitOs;
  }
}
