// pipeline_bench: the whole path of a packet on one thread, and nothing beside it.
//
//   page_pool -> skb -> queue_xmit -> pfifo_fast (through the ring) -> dummy link -> page home
//
// One generator driven by hand, no engine, no second thread: the same packets on every run, so that
// instructions per packet can be counted too (valgrind --tool=callgrind; bench/speed.py --callgrind
// takes the difference of two --packets). All accounting is on: counters, page_pool statistics,
// every 64th packet's time in its band. Exit code 70 when the law does not hold.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/smp_native.h"
#include "config/exit_codes.h"
#include "pktgen/generator.h"
#include "qdisc/dummy_link.h"
#include "ring/ptr_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

struct Arguments {
  std::uint64_t packets = 20'000'000;
  std::uint64_t warmup = 100'000;
  std::uint32_t packet_size = 60;  // bytes without FCS
  std::uint32_t enqueue_burst = 1;
  std::uint32_t burst = 1;
  std::uint32_t sojourn_sample = 64;
  std::uint32_t latency_sample = 64;
  TransmitMode mode = TransmitMode::kQueueXmit;
  bool timestamp = false;
  bool bypass = false;
  bool json = false;
};

struct Result {
  std::uint64_t packets = 0;
  Nanoseconds elapsed = 0;
  PagePoolStats pool;
  std::string broken_law;
};

// Generators count packets in bursts: up to one burst more than asked for is sent.
void send_until(Generator<Smp>& generator, std::uint64_t sent) {
  while (generator.counters().sent.read() < sent) generator.step();
}

Result measure(const Arguments& arguments) {
  constexpr CpuId kCpu = 1;  // 0 is the control thread's, as in the daemon
  constexpr std::size_t kPages = 4096;
  PageArena<Smp> arena{kPages, HugePages::kTry};
  PacketMemory<Smp>::Pool::Allocator allocator{arena};
  PacketMemory<Smp> memory{arena};
  DeviceOptions options;
  options.qdisc.cpus = kCpu + 1;
  options.qdisc.sojourn_sample = arguments.sojourn_sample;
  options.qdisc.can_bypass = arguments.bypass;
  Device<Smp, PtrRing<Smp>> device{options, std::make_unique<DummyLink<Smp>>(memory), memory};
  PacketMemory<Smp>::Pool pool{allocator,
                               {.pool_size = 0, .owner_cpu = kCpu, .cpus = kCpu + 1, .node = -1}};
  QuiescentEpoch<Smp> epoch;
  Cpu<Smp> cpu{kCpu};

  GeneratorSettings settings;
  settings.mode = arguments.mode;
  settings.burst = arguments.burst;
  settings.enqueue_burst = arguments.enqueue_burst;
  settings.latency_sample = arguments.latency_sample;
  settings.traffic.timestamp = arguments.timestamp;
  settings.traffic.size = {arguments.packet_size, arguments.packet_size, Step::kSequence};
  Generator<Smp> generator{cpu, device, pool, memory, epoch, settings};

  generator.start();
  send_until(generator, arguments.warmup);
  const std::uint64_t sent_before = generator.counters().sent.read();
  const Nanoseconds started = monotonic_ns();
  send_until(generator, sent_before + arguments.packets);
  const Nanoseconds ended = monotonic_ns();
  generator.finish();

  Result result;
  const std::uint64_t sent = generator.counters().sent.read();
  result.packets = sent - sent_before;
  result.elapsed = ended - started;
  result.pool = pool.stats();
  const QueueAccount account = device.account(0, true);
  result.broken_law = broken_law(account);
  const std::uint64_t arrived = account.tx_packets + device.received();
  if (result.broken_law.empty() && arrived != sent) {
    result.broken_law = "sent by the generator " + std::to_string(sent) +
                        " against completed by the link " + std::to_string(arrived);
  }
  const auto out = static_cast<std::uint64_t>(pool.inflight());
  if (result.broken_law.empty() && out != pool.cache_pages() + pool.ring_pages()) {
    result.broken_law = "pages in flight " + std::to_string(out) + " against idle pages " +
                        std::to_string(pool.cache_pages() + pool.ring_pages());
  }
  return result;
}

int report(const Arguments& arguments, const Result& result) {
  const auto packets = static_cast<double>(result.packets);
  const auto elapsed = static_cast<double>(result.elapsed);
  if (arguments.json) {
    const nlohmann::ordered_json out{
        {"packets", result.packets},
        {"seconds", elapsed / 1e9},
        {"mpps", packets * 1e3 / elapsed},
        {"ns_per_packet", elapsed / packets},
        {"pages_from_cache", result.pool.alloc_fast},
        {"pages_from_allocator", result.pool.alloc_slow},
        {"broken_law", result.broken_law},
    };
    std::printf("%s\n", out.dump().c_str());
  } else {
    std::printf("%.2f Mpps, %.2f ns/packet (%llu packets of %u bytes in %.3f s)\n",
                packets * 1e3 / elapsed, elapsed / packets,
                static_cast<unsigned long long>(result.packets), arguments.packet_size,
                elapsed / 1e9);
  }
  if (result.broken_law.empty()) return config::kExitOk;
  std::fprintf(stderr, "pipeline_bench: broken law: %s\n", result.broken_law.c_str());
  return config::kExitSoftware;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  using qdiscsim::TransmitMode;
  qdiscsim::Arguments arguments;
  CLI::App app{"Sends packets through the whole path on one thread; prints Mpps."};
  app.add_option("--packets", arguments.packets, "packets to time")
      ->check(CLI::Range(1ULL, 1'000'000'000'000ULL))
      ->capture_default_str();
  app.add_option("--warmup", arguments.warmup, "packets before that")->capture_default_str();
  app.add_option("--packet-size", arguments.packet_size, "bytes without FCS")
      ->check(CLI::Range(42U, qdiscsim::kMaxPacketBytes))
      ->capture_default_str();
  app.add_option("--enqueue-burst", arguments.enqueue_burst,
                 "packets that enter the band under one reservation (queue_xmit)")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--burst", arguments.burst, "copies in one call (start_xmit, netif_receive)")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--xmit-mode", arguments.mode, "queue_xmit, start_xmit or netif_receive")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, TransmitMode>{{"queue_xmit", TransmitMode::kQueueXmit},
                                              {"start_xmit", TransmitMode::kStartXmit},
                                              {"netif_receive", TransmitMode::kNetifReceive}}));
  app.add_flag("--timestamp", arguments.timestamp, "write the time into each packet");
  app.add_option("--sojourn-sample", arguments.sojourn_sample,
                 "one in so many packets has its time in the queue measured; 0 = none")
      ->check(CLI::Range(0U, 65'536U))
      ->capture_default_str();
  app.add_option("--latency-sample", arguments.latency_sample,
                 "one in so many packets is timed until it is on the wire; 0 = none")
      ->check(CLI::Range(0U, 65'536U))
      ->capture_default_str();
  app.add_flag("--bypass", arguments.bypass, "let packets pass an empty queue without entering it");
  app.add_flag("--json", arguments.json, "one JSON object instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? qdiscsim::config::kExitOk : qdiscsim::config::kExitUsage;
  }
  try {
    qdiscsim::TscClock::calibrate();
    return qdiscsim::report(arguments, qdiscsim::measure(arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pipeline_bench: %s\n", error.what());
    return qdiscsim::config::kExitOs;
  }
}
