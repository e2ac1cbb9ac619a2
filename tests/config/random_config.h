// Valid configurations without end, from a seed: every kind of value, limits included.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "base/prng.h"
#include "config/config.h"
#include "config/pages.h"

namespace qdiscsim::config {

class RandomConfig {
 public:
  explicit RandomConfig(std::uint64_t seed) : random_(seed) {}

  Config next() {
    Config config;
    config.seed = random_.next();
    config.duration_ns = coin() ? 0 : random_.next() % 31'536'000'000'000'000U;
    config.http = {coin() ? "127.0.0.1" : "::1", static_cast<std::uint16_t>(pick(0, 65'535))};
    config.control.socket = coin() ? "auto" : coin() ? "none" : "/run/a: 'b'.sock";
    config.kernel = static_cast<KernelVersion>(pick(0, 1));
    config.log.level = static_cast<LogLevel>(pick(0, 4));
    config.memory.huge_pages = static_cast<HugePages>(pick(0, 2));
    if (coin()) config.pktgen = {coin() ? "/run/a: 'b'" : "/", pick(0, 128)};
    const std::uint32_t devices = pick(1, 4);
    const std::uint32_t longest = config.kernel < KernelVersion::k6_18 ? 32'767 : 65'536;
    for (std::uint32_t i = 0; i < devices; ++i) config.devices.push_back(device(i, longest));
    const std::uint32_t groups = pick(0, 4);
    for (std::uint32_t i = 0; i < groups; ++i)
      config.generators.push_back(group(i, config.devices));
    config.memory.limit_bytes =
        std::max(required_pages(config) * kPageBytes, std::uint64_t{1} << 20U) + pick(0, 1U << 30U);
    if (required_pages(config) * kPageBytes <= kMostByDefault && coin()) {
      config.memory.limit_bytes = 0;
    }
    return config;
  }

 private:
  std::uint32_t pick(std::uint32_t low, std::uint32_t high) { return random_.between(low, high); }
  bool coin() { return pick(0, 1) == 1; }

  Device device(std::uint32_t i, std::uint32_t longest) {
    constexpr const char* kNames[] = {"true", "null", "0x10", "-"};  // YAML reads these as no text
    Device d;
    d.name = coin() ? "eth" + std::to_string(i) : kNames[i];
    if (pick(0, 2) == 0) {
      d.link = guest();
    } else if (pick(0, 3) == 0) {
      d.link = tap(i, d.name);
    } else if (coin()) {
      d.link = {LinkKind::kWire, 1'000 + random_.next() % 999'999'999'001U, pick(8, 32'768)};
      d.bql.enabled = coin();
      d.bql.limit_max_bytes = pick(0, 1'879'048'192);
      d.bql.limit_min_bytes = pick(0, d.bql.limit_max_bytes);
    }
    d.queues = pick(1, 64);
    d.tx_queue_len = pick(1, longest);
    d.drain = static_cast<Drain>(pick(0, 1));
    if (d.drain == Drain::kDedicated) d.drain_cpus = cpus();
    d.bypass = coin();
    d.nolock = coin();
    {
      const bool bulk = d.link.kind == LinkKind::kWire && d.bql.enabled;
      const bool bypass = d.bypass && d.drain == Drain::kInline;
      d.kernel_bugs = pick(0, 511) & (d.nolock ? ~384U : 456U);
      if (!bulk) d.kernel_bugs &= ~8U;
      if (!bypass) d.kernel_bugs &= ~(16U | 128U);
    }
    d.ring = ring();
    d.sojourn_sample = coin() ? 0 : 1U << pick(0, 16);
    if (coin()) {
      d.capture = {(coin() ? "/a: 'b'/" : "null") + std::to_string(i),
                   (16U << 10U) + random_.next() % (1ULL << 39U), coin() ? 0 : random_.next(),
                   pick(64, 3'584)};
    }
    return d;
  }

  Link guest() {
    Link link{.kind = LinkKind::kVhostNet};
    link.tun_ring = pick(1, 65'536);
    link.clear = static_cast<RingClear>(pick(0, 4));
    link.consume = static_cast<Consume>(pick(0, 1));
    link.vring = 8U << pick(0, 7);
    link.guest = static_cast<Drain>(pick(0, 1));
    link.busy_poll = coin();
    return link;
  }

  Link tap(std::uint32_t i, const std::string& device) {
    Link link{.kind = LinkKind::kTap};
    link.interface = coin() ? device : "0x" + std::to_string(i);
    link.netns = coin() ? "qdiscsim-" + device : "null";
    return link;
  }

  Ring ring() {
    Ring r{.kind = static_cast<RingKind>(pick(0, 3))};
    if (r.kind == RingKind::kRte) r.sync = static_cast<RingSync>(pick(0, 2));
    if (r.kind == RingKind::kPtrRing && coin()) r.lock = static_cast<RingLock>(pick(0, 3));
    if (r.kind == RingKind::kPtrRing && r.lock == RingLock::kTestAndSet) {
      r.clear = static_cast<RingClear>(pick(0, 4));
    }
    return r;
  }

  GeneratorGroup group(std::uint32_t i, const std::vector<Device>& devices) {
    const Device& target = devices[pick(0, static_cast<std::uint32_t>(devices.size()) - 1)];
    GeneratorGroup g;
    g.name = "group" + std::to_string(i);
    g.device = target.name;
    g.threads = pick(1, 128);
    g.pin = coin();
    g.cpus = cpus();
    g.xmit_mode = static_cast<XmitMode>(pick(0, 2));
    g.count = coin() ? 0 : random_.next();
    g.pace.kind = static_cast<PaceKind>(pick(0, 3));
    if (g.pace.kind != PaceKind::kUnlimited) g.pace.value = pick(1'000, 2'000'000'000);
    g.packet_size = sizes();
    if (g.xmit_mode == XmitMode::kQueueXmit) {
      g.enqueue_burst = pick(1, 64);
    } else {
      g.burst = pick(1, 256);
    }
    if (g.xmit_mode == XmitMode::kStartXmit && g.packet_size.kind != SizeKind::kImix) {
      g.clone_skb = pick(0, 1'000'000'000);
    }
    g.priority.clear();
    const std::uint32_t priorities = pick(1, 4);
    for (std::uint32_t p = 0; p < priorities; ++p) {
      g.priority.push_back({pick(0, 0xffffffff), coin() ? 1 : pick(1, 1'000'000)});
    }
    const bool v6 = coin();
    (v6 ? g.traffic_class : g.tos) = static_cast<std::uint8_t>(pick(0, 255));
    g.flows = pick(0, 65'536);
    g.flow_length = g.flows == 0 ? 0 : pick(0, 0xffffffff);
    g.source = addresses(v6);
    g.destination = addresses(v6);
    g.mac_source = macs();
    g.mac_destination = macs();
    if (coin()) g.vlan = tag();
    if (coin() && g.vlan.id != Vlan::kNone) g.svlan = tag();
    const std::uint32_t labels = coin() ? 0 : pick(1, 16);
    for (std::uint32_t l = 0; l < labels; ++l) {
      g.mpls.push_back({.label = pick(0, 1'048'575)});
      if (coin()) g.mpls.back().ttl = static_cast<std::uint8_t>(pick(0, 255));
      if (coin()) g.mpls.back().traffic_class = static_cast<std::uint8_t>(pick(0, 7));
    }
    g.udp_source = ports();
    g.udp_destination = ports();
    g.timestamp = coin();
    g.udp_checksum = coin();
    g.queue_map_cpu = coin();
    if (!g.queue_map_cpu) {
      g.queue_map_max = pick(0, target.queues - 1);
      g.queue_map_min = pick(0, g.queue_map_max);
    }
    if (g.burst == 1 && g.clone_skb == 0 && pick(0, 2) == 0) capture(g);
    g.page_pool.ring = ring();
    g.page_pool.size = pick(0, 32'768);
    g.latency_sample = pick(0, 65'536);
    if (coin()) g.leak = {pick(1, 1'000'000'000), pick(1, 1'000)};
    return g;
  }

  void capture(GeneratorGroup& g) {
    g.traffic.pcap = coin() ? "/a b/c: 'd'.pcap" : "/x.pcapng";
    g.traffic.loop = coin();
    switch (pick(0, 2)) {
      case 0:
        g.traffic.speed = {SpeedKind::kMax, 0};
        break;
      case 1:
        g.traffic.speed = {SpeedKind::kPacketRate, 1 + random_.next() % 1'000'000'000'000U};
        break;
      default:
        g.traffic.speed = {SpeedKind::kFactor, pick(1, 1'000'000)};
    }
    g.pace = {};
    g.packet_size = {};
    g.priority = {{}};
    g.tos = 0;
    g.traffic_class = 0;
  }

  PacketSize sizes() {
    PacketSize size;
    size.kind = static_cast<SizeKind>(pick(0, 3));
    if (size.kind == SizeKind::kImix) {
      const std::uint32_t entries = pick(1, 20);
      for (std::uint32_t i = 0; i < entries; ++i) {
        size.imix.push_back({pick(42, 3'500), pick(1, 1'000'000)});
      }
      return size;
    }
    size.min = pick(42, 3'500);
    size.max = size.kind == SizeKind::kFixed ? size.min : pick(size.min, 3'500);
    return size;
  }

  AddressRange addresses(bool v6) {
    const std::uint32_t low = pick(0, 0xffffffff);
    AddressRange range{low, coin() ? low : pick(low, 0xffffffff), coin()};
    if (v6) {
      const std::uint64_t high = coin() ? 0 : random_.next();
      const std::uint64_t middle = coin() ? 0 : random_.next() << 32U;
      range.min = IpAddress::ipv6(high, middle | range.min.low);
      range.max = IpAddress::ipv6(high, middle | range.max.low);
    }
    return range;
  }

  MacRange macs() {
    const std::uint64_t first = std::uint64_t{pick(0, 0xffff)} << 32U;
    const std::uint32_t low = pick(0, 0xffffffff);
    return {first | low, first | (coin() ? low : pick(low, 0xffffffff)), coin()};
  }

  Vlan tag() {
    Vlan tag{static_cast<std::uint16_t>(pick(0, 4'095)), 0, coin()};
    if (coin()) tag.priority = static_cast<std::uint8_t>(pick(0, 7));
    return tag;
  }

  PortRange ports() {
    const auto low = static_cast<std::uint16_t>(pick(0, 65'535));
    const auto high = static_cast<std::uint16_t>(coin() ? low : pick(low, 65'535));
    return {low, high, coin()};
  }

  std::vector<std::uint32_t> cpus() {
    constexpr std::uint32_t kSome[][2] = {{0, 1}, {1, 0}};
    const auto& some = kSome[pick(0, 1)];
    return {some, some + pick(0, 2)};
  }

  Prng random_;
};

}  // namespace qdiscsim::config
