// What the engine's tests share: configurations in code, waiting without sleeping, and readings
// that must not go back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "config/pages.h"
#include "daemon/engine.h"

namespace qdiscsim::test {

inline config::Device a_device(const std::string& name, config::LinkKind link) {
  config::Device device;
  device.name = name;
  device.link.kind = link;
  device.link.rate_bits_per_second = 100'000'000'000;
  device.link.ring_size = 64;
  device.tx_queue_len = 100;
  return device;
}

inline config::GeneratorGroup a_group(const std::string& name, const std::string& device,
                                      std::uint32_t threads, std::uint64_t count) {
  config::GeneratorGroup group;
  group.name = name;
  group.device = device;
  group.threads = threads;
  group.count = count;
  group.priority = {{6, 1}, {0, 2}, {2, 1}};
  group.packet_size.kind = config::SizeKind::kRandom;
  group.packet_size.min = 60;
  group.packet_size.max = 300;
  group.timestamp = false;
  return group;
}

// With just the memory that it needs, or that of another configuration too.
inline config::Config with_memory(config::Config config, std::uint64_t extra_pages = 0) {
  config.memory.huge_pages = config::HugePages::kNever;
  config.memory.limit_bytes = (config::required_pages(config) + extra_pages) * config::kPageBytes;
  return config;
}

// Everything in a snapshot that only grows, by name.
inline std::map<std::string, double> growing(const Snapshot& snapshot) {
  std::map<std::string, double> values;
  const auto add = [&](const std::string& name, auto value) {
    values[name] = static_cast<double>(value);
  };
  for (const DeviceSnapshot& device : snapshot.devices) {
    add(device.name + " received", device.received_packets);
    add(device.name + " catch_up", device.link_catch_up_seconds);
    for (const QueueSnapshot& queue : device.queues) {
      const std::string at = device.name + "/" + std::to_string(queue.index);
      add(at + " offered", queue.offered_packets);
      add(at + " direct", queue.direct_packets);
      add(at + " tx_packets", queue.tx_packets);
      add(at + " tx_bytes", queue.tx_bytes);
      add(at + " tx_dropped", queue.tx_dropped_packets);
      add(at + " requeue_purged", queue.requeue_purged_packets);
      add(at + " stopped", queue.stopped_seconds);
      add(at + " stalls", queue.stalls);
      for (std::size_t i = 0; i < queue.bands.size(); ++i) {
        const BandSnapshot& band = queue.bands[i];
        const std::string in = at + " band " + std::to_string(i);
        add(in + " attempts", band.enqueue_attempts);
        add(in + " enqueued", band.enqueued_packets);
        add(in + " dequeued", band.dequeued_packets);
        add(in + " purged", band.purged_packets);
        add(in + " bypassed", band.bypassed_packets);
        add(in + " overlimit", band.dropped_overlimit);
        add(in + " deactivated", band.dropped_deactivated);
        add(in + " requeues", band.requeues);
        add(in + " sojourn", band.sojourn.sum);
        add(in + " timed", band.sojourn.count);
      }
    }
  }
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    const std::string at = generator.group + "/" + generator.thread;
    add(at + " offered", generator.offered_packets);
    add(at + " sent", generator.sent_packets);
    add(at + " bytes", generator.sent_bytes);
    add(at + " errors", generator.errors);
    add(at + " timed", generator.latency.count);
    add(at + " no_memory", generator.no_memory);
  }
  for (const PoolSnapshot& pool : snapshot.pools) {
    add(pool.name + " alloc",
        pool.stats.alloc_fast + pool.stats.alloc_slow + pool.stats.alloc_refill);
    add(pool.name + " cached", pool.stats.recycle_cached);
    add(pool.name + " ring", pool.stats.recycle_ring);
    add(pool.name + " ring_full", pool.stats.recycle_ring_full);
    add(pool.name + " hold", pool.hold);
    add(pool.name + " release", pool.release);
  }
  add("violations", snapshot.account_violations);
  return values;
}

// Takes snapshots of an engine and checks each against the one before.
class Watcher {
 public:
  explicit Watcher(const Engine& engine) : engine_{engine} {}

  Snapshot look() {
    Snapshot snapshot = engine_.snapshot();
    for (const std::string& text : snapshot.broken_laws) ADD_FAILURE() << text;
    std::map<std::string, double> values = growing(snapshot);
    for (const auto& [name, before] : last_) {
      const auto now = values.find(name);
      if (now == values.end()) {
        ADD_FAILURE() << name << " is gone";
      } else if (now->second < before) {
        ADD_FAILURE() << name << " went back from " << before << " to " << now->second;
      }
    }
    last_ = std::move(values);
    return snapshot;
  }

  // Looks until the condition holds; the test's time limit is the bound.
  void look_until(const std::function<bool(const Snapshot&)>& condition) {
    while (!condition(look())) smp::Native::yield();
  }
  void look_until_finished() {
    look();
    while (!engine_.finished()) {
      look();
      smp::Native::yield();
    }
  }

 private:
  const Engine& engine_;
  std::map<std::string, double> last_;
};

inline std::uint64_t offered(const Snapshot& snapshot) {
  std::uint64_t sum = 0;
  for (const GeneratorSnapshot& generator : snapshot.generators) sum += generator.offered_packets;
  return sum;
}

// After stop(): the law to the packet, and every page in a pool or free.
inline void expect_all_at_home(const Snapshot& snapshot) {
  EXPECT_TRUE(snapshot.quiescent);
  EXPECT_EQ(snapshot.account_violations, 0U);
  std::uint64_t held = 0;
  for (const PoolSnapshot& pool : snapshot.pools) {
    EXPECT_EQ(pool.inflight_pages, pool.cache_pages + pool.ring_pages + pool.leaked_pages)
        << pool.name;
    held += pool.inflight_pages;
  }
  EXPECT_EQ(snapshot.arena_pages, snapshot.arena_free_pages + held);
  for (const DeviceSnapshot& device : snapshot.devices) {
    std::uint64_t sent_to_it = 0;
    for (const GeneratorSnapshot& generator : snapshot.generators) {
      if (generator.device == device.name) sent_to_it += generator.offered_packets;
    }
    std::uint64_t arrived = device.received_packets;
    for (const QueueSnapshot& queue : device.queues) {
      arrived += queue.offered_packets + queue.direct_packets;
      EXPECT_EQ(queue.requeue_backlog_packets, 0U);
      EXPECT_EQ(queue.driver_ring_packets, 0U);
      for (const BandSnapshot& band : queue.bands) EXPECT_EQ(band.backlog_packets, 0U);
    }
    EXPECT_EQ(sent_to_it, arrived) << device.name;
  }
}

}  // namespace qdiscsim::test
