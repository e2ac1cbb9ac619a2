#include "daemon/translate.h"

#include <algorithm>

#include "config/kernel_bug_words.h"
#include "daemon/generator_thread.h"

namespace qdiscsim {
namespace {

Step step_of(bool random) {
  return random ? Step::kRandom : Step::kSequence;
}

// The last 32 bits: others do not differ within a range.
ValueRange range_of(const config::AddressRange& range) {
  return {static_cast<std::uint32_t>(range.min.low), static_cast<std::uint32_t>(range.max.low),
          step_of(range.random)};
}

// What is added to the first one.
ValueRange range_of(const config::MacRange& range) {
  return {0, static_cast<std::uint32_t>(range.max - range.min), step_of(range.random)};
}

ValueRange range_of(const config::PortRange& range) {
  return {range.min, range.max, step_of(range.random)};
}

template <std::size_t kBytes>
void store(std::uint64_t value, std::array<std::uint8_t, kBytes>& to, std::size_t from,
           std::size_t bytes) {
  for (std::size_t i = bytes; i > 0; --i, value >>= 8U) {
    to[from + i - 1] = static_cast<std::uint8_t>(value);
  }
}

Ipv6Address ipv6_of(const config::IpAddress& address) {
  Ipv6Address bytes{};
  store(address.high, bytes, 0, 8);
  store(address.low, bytes, 8, 8);
  return bytes;
}

VlanTag tag_of(const config::Vlan& tag) {
  return {tag.id, tag.priority, static_cast<std::uint8_t>(tag.cfi ? 1 : 0)};
}

FrameOptions frame_of(const config::GeneratorGroup& group) {
  FrameOptions frame;
  store(group.mac_source.min, frame.source_mac, 0, frame.source_mac.size());
  store(group.mac_destination.min, frame.destination_mac, 0, frame.destination_mac.size());
  frame.vlan = tag_of(group.vlan);
  frame.svlan = tag_of(group.svlan);
  frame.svlan_type = kEtherServiceTag;
  for (const config::MplsLabel& label : group.mpls) {
    frame.mpls.push_back(label.label << 12U | std::uint32_t{label.traffic_class} << 9U | label.ttl);
  }
  frame.ipv6 = group.source.min.v6;
  frame.traffic_class = group.traffic_class;
  frame.source6 = ipv6_of(group.source.min);
  frame.destination6 = ipv6_of(group.destination.min);
  return frame;
}

std::uint32_t smallest_size(const config::PacketSize& size) {
  if (size.kind != config::SizeKind::kImix) return size.min;
  return std::min_element(size.imix.begin(), size.imix.end(),
                          [](const auto& a, const auto& b) { return a.size < b.size; })
      ->size;
}

// FNV-1a: the same on every machine, as a seed must be.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

Pacer::Period period_of(const config::GeneratorGroup& group, std::uint32_t thread) {
  // A total below one packet a second for each thread leaves some threads nothing: their first
  // packet is due in three centuries.
  constexpr Pacer::Period kNever{INT64_MAX, 1};
  const std::uint64_t share = share_of(group.pace.value, thread, group.threads);
  if (share == 0 && group.pace.kind >= config::PaceKind::kPacketRate) return kNever;
  switch (group.pace.kind) {
    case config::PaceKind::kUnlimited:
      return {};
    case config::PaceKind::kDelay:
      return Pacer::delay(group.pace.value);
    case config::PaceKind::kPacketRate:
      return {kSecond, share};
    case config::PaceKind::kBitRate:
      return {std::uint64_t{smallest_size(group.packet_size)} * 8U * kSecond, share};
  }
  return {};
}

// Of one thread; without a trace when the group has no capture.
ReplayOptions replay_options(const config::GeneratorGroup& group, std::uint32_t thread) {
  const config::CapturedTraffic& traffic = group.traffic;
  ReplayOptions options;
  options.trace = traffic.trace;
  options.thread = thread;
  options.threads = group.threads;
  options.loop = traffic.loop;
  options.value = traffic.speed.value;
  switch (traffic.speed.kind) {
    case config::SpeedKind::kFactor:
      options.pace = ReplayPace::kGaps;
      break;
    case config::SpeedKind::kMax:
      options.pace = ReplayPace::kUnlimited;
      break;
    case config::SpeedKind::kPacketRate:
      options.pace = ReplayPace::kRate;
      break;
  }
  return options;
}

TransmitMode mode_of(config::XmitMode mode) {
  switch (mode) {
    case config::XmitMode::kQueueXmit:
      return TransmitMode::kQueueXmit;
    case config::XmitMode::kStartXmit:
      return TransmitMode::kStartXmit;
    case config::XmitMode::kNetifReceive:
      return TransmitMode::kNetifReceive;
  }
  return TransmitMode::kQueueXmit;
}

}  // namespace

// The enumerators of both are the same, in the same order.
RingChoice ring_choice(const config::Ring& ring) {
  return {static_cast<RingKind>(ring.kind), static_cast<RingLock>(ring.lock),
          static_cast<RingClear>(ring.clear), static_cast<RingSync>(ring.sync)};
}

DeviceOptions device_options(const config::Device& device, std::uint32_t cpus) {
  DeviceOptions options;
  options.queues = device.queues;
  options.qdisc.limit = device.tx_queue_len;
  options.qdisc.ring = ring_choice(device.ring);
  options.qdisc.cpus = cpus;
  options.qdisc.sojourn_sample = device.sojourn_sample;
  options.qdisc.can_bypass = device.bypass;
  options.qdisc.nolock = device.nolock;
  static_assert(config::kKernelBugWords.size() == kKernelBugCount);
  options.qdisc.bugs = KernelBugs{device.kernel_bugs};
  options.qdisc.drain_inline = device.drain == config::Drain::kInline;
  if (device.link.kind == config::LinkKind::kWire && device.bql.enabled) {
    options.bql_min = device.bql.limit_min_bytes;
    options.bql_max = device.bql.limit_max_bytes;
  }
  return options;
}

CaptureOptions capture_options(const config::Device& device, std::uint32_t cpus) {
  return {.device = device.name,
          .file = device.capture.file,
          .limit_bytes = device.capture.limit_bytes,
          .packets = device.capture.packets,
          .snaplen = device.capture.snaplen,
          .queues = device.queues,
          .cpus = cpus};
}

VhostNetOptions vhost_net_options(const config::Link& link, CpuId first_cpu) {
  constexpr std::size_t kBatch = 64;  // as vhost_net since 2017
  VhostNetOptions options;
  options.tun_ring = link.tun_ring;
  options.clear = static_cast<RingClear>(link.clear);
  options.batch = link.consume == config::Consume::kBatched ? kBatch : 1;
  options.vring = link.vring;
  options.guest_thread = link.guest == config::Drain::kDedicated;
  options.busy_poll = link.busy_poll;
  options.first_cpu = first_cpu;
  return options;
}

TapOptions tap_options(const config::Device& device) {
  return {device.name, device.link.interface, device.queues};
}

std::uint32_t pktgen_threads(const config::Pktgen& pktgen) {
  return pktgen.threads != 0 ? pktgen.threads : static_cast<std::uint32_t>(usable_cpus().size());
}

GeneratorSettings generator_settings(const config::GeneratorGroup& group,
                                     const config::Device& device, std::uint32_t thread,
                                     std::uint64_t seed) {
  GeneratorSettings settings;
  settings.mode = mode_of(group.xmit_mode);
  settings.count = group.count;
  settings.period = period_of(group, thread);
  settings.burst = group.burst;
  settings.enqueue_burst = group.enqueue_burst;
  settings.clone_skb = group.clone_skb;
  settings.latency_sample = group.latency_sample;
  settings.leak = {group.leak.every, group.leak.at_most};

  TrafficOptions& traffic = settings.traffic;
  const config::PacketSize& size = group.packet_size;
  traffic.size = {size.min, size.max, step_of(size.kind == config::SizeKind::kRandom)};
  if (size.kind == config::SizeKind::kImix) {
    for (const config::SizeWeight& entry : size.imix) {
      traffic.imix.push_back({entry.size, entry.weight});
    }
  }
  traffic.priority.clear();
  for (const config::PriorityWeight& entry : group.priority) {
    traffic.priority.push_back({entry.priority, entry.weight});
  }
  traffic.tos = group.tos;
  traffic.source = range_of(group.source);
  traffic.destination = range_of(group.destination);
  traffic.frame = frame_of(group);
  traffic.source_mac = range_of(group.mac_source);
  traffic.destination_mac = range_of(group.mac_destination);
  traffic.udp_source = range_of(group.udp_source);
  traffic.udp_destination = range_of(group.udp_destination);
  traffic.flows = group.flows;
  traffic.flow_length = std::max(group.flow_length, 1U);
  traffic.queue = {group.queue_map_min, group.queue_map_max, Step::kSequence};
  if (group.queue_map_cpu) {
    const std::uint32_t queue = thread % device.queues;
    traffic.queue = {queue, queue, Step::kSequence};
  }
  traffic.replay = replay_options(group, thread);
  traffic.timestamp = group.timestamp;
  traffic.udp_checksum = group.udp_checksum;
  // Threads of one seed differ, and one seed repeats them all.
  traffic.seed = seed * 1'000'003U + hash_of(group.name) + thread;
  return settings;
}

double configured_pps(const config::GeneratorGroup& group, std::uint32_t thread) {
  if (group.traffic.trace != nullptr) return mean_rate(replay_options(group, thread));
  const Pacer::Period period = period_of(group, thread);
  if (period.unlimited()) return 0;
  return 1e9 * static_cast<double>(period.per) / static_cast<double>(period.ns);
}

}  // namespace qdiscsim
