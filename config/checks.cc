#include "config/checks.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <initializer_list>

#include "config/frame_rules.h"
#include "config/kernel_bug_words.h"
#include "config/pages.h"
#include "config/schema.h"
#include "config/suggest.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

class Rules {
 public:
  Rules(const Config& config, const Places& places, std::span<const std::string> sources,
        std::vector<Diagnostic>& diagnostics)
      : config_(config), places_(places), sources_(sources), diagnostics_(diagnostics) {}

  void run() {
    if (!places_.given("devices")) {
      report("devices",
             "missing; at least one is needed, for example " + std::string(kMinimalDevices));
      return;
    }
    names("devices", config_.devices);
    names("generators", config_.generators);
    for (std::size_t i = 0; i < config_.devices.size(); ++i) {
      prefix_ = "devices[" + std::to_string(i) + "].";
      device(config_.devices[i]);
    }
    for (std::size_t i = 0; i < config_.generators.size(); ++i) {
      prefix_ = "generators[" + std::to_string(i) + "].";
      generator(config_.generators[i]);
    }
    prefix_.clear();
    pktgen();
    memory();
  }

 private:
  void device(const Device& device) {
    link(device.link);
    if (device.drain == Drain::kInline && !device.drain_cpus.empty() && good({"drain"})) {
      report("drain_cpus",
             "has no effect with drain: inline, where the senders drain; remove it, or set drain: "
             "dedicated");
    }
    ring("ring", device.ring);
    if (device.bql.limit_min_bytes > device.bql.limit_max_bytes &&
        good({"bql.limit_min", "bql.limit_max"})) {
      report(given("bql.limit_min") ? "bql.limit_min" : "bql.limit_max",
             "limit_min " + format_quantity(device.bql.limit_min_bytes, Quantity::kSize) +
                 " is above limit_max " +
                 format_quantity(device.bql.limit_max_bytes, Quantity::kSize));
    }
    power_of_two("sojourn_sample", device.sojourn_sample);
    capture(device.capture);
    kernel(device);
  }

  void capture(const Capture& capture) {
    if (given("capture") && !given("capture.file")) {
      report("capture", "captures nothing without a file; set capture.file, or remove it");
    }
    if (capture.file.empty() || !good({"capture.file"})) return;
    for (std::size_t i = 0; i < config_.devices.size(); ++i) {
      const Capture& other = config_.devices[i].capture;
      if (&other == &capture) return;
      if (other.file.empty() || path_of(other) != path_of(capture)) continue;
      report("capture.file", quoted(capture.file) + " is already the file of devices[" +
                                 std::to_string(i) + "]; choose another one");
      return;
    }
  }
  static std::filesystem::path path_of(const Capture& capture) {
    return std::filesystem::path{capture.file}.lexically_normal();
  }

  void kernel(const Device& device) {
    constexpr std::uint32_t kLongestOf61 = 32'767;
    if (config_.kernel < KernelVersion::k6_18 && device.tx_queue_len > kLongestOf61 &&
        good({"tx_queue_len"}) && places_.good("kernel")) {
      report("tx_queue_len", std::to_string(device.tx_queue_len) +
                                 " is refused by kernel 6.1 with ERANGE; allowed: 1 to 32767, or "
                                 "set kernel: \"6.18\"");
    }
    if (device.kernel_bugs == 0 || !good({"kernel_bugs", "nolock", "bypass", "drain", "bql"}))
      return;
    constexpr std::uint32_t kBulk = kernel_bug("unlimited_bulk");
    constexpr std::uint32_t kEither = kBulk | kernel_bug("reset_before_grace");
    constexpr std::uint32_t kLocked = kernel_bug("kept_cpustats") | kernel_bug("parallel_runs");
    if (const std::uint32_t idle =
            device.kernel_bugs & ~kEither & (device.nolock ? kLocked : ~kLocked);
        idle != 0) {
      report("kernel_bugs",
             kernel_bug_names(idle) +
                 (device.nolock ? ": no effect without the root lock; remove, or set nolock: false"
                                : ": no effect under the root lock; remove, or set nolock: true"));
    } else if ((device.kernel_bugs & kernel_bug("kept_cpustats")) != 0 &&
               (!device.bypass || device.drain == Drain::kDedicated)) {
      report("kernel_bugs",
             "kept_cpustats has no effect without the bypass; remove it, or set bypass: true and "
             "drain: inline");
    } else if ((device.kernel_bugs & kernel_bug("bypass_reorders")) != 0 &&
               (!device.bypass || device.drain == Drain::kDedicated)) {
      report("kernel_bugs",
             "bypass_reorders has no effect without the bypass; remove it, or set bypass: true and "
             "drain: inline");
    }
    if ((device.kernel_bugs & kBulk) != 0 && good({"link.kind"}) &&
        (device.link.kind != LinkKind::kWire || !device.bql.enabled)) {
      report("kernel_bugs",
             "unlimited_bulk has no effect without a byte limit; remove it, or set link.kind: wire "
             "with bql.enabled: true");
    }
  }

  void link(const Link& link) {
    if (!good({"link.kind"})) return;
    if (link.kind != LinkKind::kWire) {
      const char* what = link.kind == LinkKind::kDummy
                             ? "a dummy link, which completes every packet at once"
                         : link.kind == LinkKind::kTap ? "a tap link, which has no wire"
                                                       : "a vhost_net link, which has no wire";
      for (const char* key : {"link.rate", "link.ring", "bql"}) {
        if (given(key)) {
          report(key,
                 std::string("has no effect on ") + what + "; remove it, or set link.kind: wire");
        }
      }
    }
    if (link.kind != LinkKind::kVhostNet) {
      for (const char* key : {"link.tun_ring", "link.clear", "link.consume", "link.vring",
                              "link.guest", "link.busy_poll"}) {
        if (given(key)) {
          report(key, "has an effect with kind: vhost_net only; remove it, or set kind: vhost_net");
        }
      }
    }
    power_of_two("link.vring", link.vring);
    if (link.kind != LinkKind::kTap) {
      for (const char* key : {"link.interface", "link.netns"}) {
        if (given(key)) {
          report(key, "has an effect with kind: tap only; remove it, or set kind: tap");
        }
      }
    }
  }

  void power_of_two(const std::string& key, std::uint32_t value) {
    if (value == 0 || std::has_single_bit(value)) return;
    report(key, std::to_string(value) + " is not a power of two; write " +
                    std::to_string(std::bit_floor(value)) + " or " +
                    std::to_string(std::bit_ceil(value)));
  }

  void ring(const std::string& key, const Ring& ring) {
    if (!good({key + ".kind"})) return;
    const auto only_for = [&](const char* name, RingKind kind, const char* word) {
      if (ring.kind != kind && given(key + name)) {
        report(key + name, std::string("has an effect with kind: ") + word +
                               " only; remove it, or set kind: " + word);
      }
    };
    only_for(".lock", RingKind::kPtrRing, "ptr_ring");
    only_for(".clear", RingKind::kPtrRing, "ptr_ring");
    only_for(".sync", RingKind::kRte, "rte");
    if (ring.kind == RingKind::kPtrRing && ring.lock != RingLock::kTestAndSet &&
        ring.clear != RingClear::kZeroBatch && good({key + ".lock", key + ".clear"})) {
      report(key + ".clear",
             "must be zero_batch with a lock other than test_and_set; change one of them");
    }
  }

  void generator(const GeneratorGroup& group) {
    ring("page_pool.ring", group.page_pool.ring);
    target(group);
    modes(group);
    pace(group);
    traffic(group);
    ranges(group);
    if (group.flow_length > 0 && group.flows == 0 && good({"flows"})) {
      report("flow_length", "has no effect without flows; set flows, or remove it");
    }
    if (given("leak.at_most") && group.leak.every == 0 && good({"leak.every"})) {
      report("leak.at_most", "has no effect without leak.every; set it, or remove leak");
    }
  }

  void target(const GeneratorGroup& group) {
    if (!places_.good("devices") && config_.devices.empty()) return;
    const Device* const device = find_device(config_, group.device);
    if (device == nullptr) {
      if (good({"device"}) && names_good()) unknown_device(group.device);
      return;
    }
    const std::string index = std::to_string(device - config_.devices.data());
    if (group.queue_map_cpu || !places_.good("devices[" + index + "].queues")) return;
    for (const auto& [key, queue] : {std::pair{"queue_map.min", group.queue_map_min},
                                     std::pair{"queue_map.max", group.queue_map_max}}) {
      if (queue >= device->queues && good({key})) {
        report(key, "there is no queue " + std::to_string(queue) + "; allowed: " +
                        (device->queues == 1
                             ? "0, since "
                             : "0 to " + std::to_string(device->queues - 1) + ", since ") +
                        device->name + " has " + std::to_string(device->queues) +
                        (device->queues == 1 ? " queue" : " queues"));
      }
    }
  }

  void unknown_device(const std::string& name) {
    std::vector<std::string> known;
    for (const Device& device : config_.devices) known.push_back(device.name);
    const auto meant = closest(name, known);
    report("device", (given("device") ? "there is no device "
                                      : "missing, and there is no device with the default name ") +
                         quoted(name) + "; allowed: " + join_or(known) +
                         (meant && known.size() > 1 ? "; did you mean " + *meant + "?" : ""));
  }

  void modes(const GeneratorGroup& group) {
    const bool queue = group.xmit_mode == XmitMode::kQueueXmit;
    if (good({"xmit_mode"})) {
      if (queue && group.burst > 1) {
        report("burst",
               "must be 1 with xmit_mode: queue_xmit, as in the kernel; set enqueue_burst to hand "
               "the qdisc several packets at once, or another xmit_mode");
      }
      if (!queue && group.enqueue_burst > 1) {
        report("enqueue_burst",
               "must be 1 unless xmit_mode is queue_xmit: the other modes pass the qdisc; set "
               "burst, or xmit_mode: queue_xmit");
      }
      if (group.clone_skb > 0 && group.xmit_mode != XmitMode::kStartXmit) {
        report("clone_skb", std::string("must be 0 with xmit_mode: ") +
                                (queue ? "queue_xmit" : "netif_receive") +
                                ": a packet that the receiver owns cannot be sent again; remove "
                                "it, or set xmit_mode: start_xmit");
      }
    }
    if (group.clone_skb > 0 && group.packet_size.kind == SizeKind::kImix) {
      report("clone_skb", "must be 0 with packet_size.imix: copies all have one size; remove one");
    }
  }

  void pace(const GeneratorGroup& group) {
    std::vector<std::string> paces;
    for (const char* key : {"delay", "rate", "ratep"}) {
      if (given(key)) paces.emplace_back(key);
    }
    for (std::size_t i = 1; i < paces.size(); ++i) {
      report(paces[i], "excludes " + paces[0] + ", which is also given; keep one of delay, rate " +
                           "and ratep");
    }
    if (paces.size() == 1 && group.pace.kind == PaceKind::kPacketRate &&
        group.pace.value < group.threads && good({"threads"})) {
      report("ratep", format_quantity(group.pace.value, Quantity::kPacketRate) +
                          " cannot be split over " + std::to_string(group.threads) +
                          " threads; allowed: at least 1pps for each thread");
    }
  }

  void traffic(const GeneratorGroup& group) {
    if (!given("traffic") || !good({"traffic"})) return;
    if (!given("traffic.pcap")) {
      report("traffic", "names no capture; set traffic.pcap, or remove it");
      return;
    }
    const std::string pcap = "traffic.pcap at " + place_of("traffic.pcap");
    for (const char* key : {"delay", "rate", "ratep"}) {
      if (given(key)) {
        report(key, "excludes " + pcap +
                        ", whose gaps are the pace; remove it, or set traffic.speed "
                        "for another pace");
      }
    }
    for (const char* key : {"packet_size", "priority", "tos", "traffic_class"}) {
      if (given(key)) {
        report(key, "excludes " + pcap + ", where each packet has its own; remove one of them");
      }
    }
    if (group.burst > 1 && group.xmit_mode != XmitMode::kQueueXmit) {
      report("burst", "must be 1 with " + pcap +
                          ": each of its packets is sent once; remove one "
                          "of them");
    }
    if (group.clone_skb > 0 && group.xmit_mode == XmitMode::kStartXmit) {
      report("clone_skb", "must be 0 with " + pcap +
                              ": each of its packets is sent once; remove "
                              "one of them");
    }
  }

  void ranges(const GeneratorGroup& group) {
    if (given("packet_size.imix")) {
      for (const char* key : {"packet_size.min", "packet_size.max", "packet_size.random"}) {
        if (given(key)) report(key, "excludes imix; a mix has no range, remove one of them");
      }
    } else {
      range("packet_size", group.packet_size.min, group.packet_size.max,
            [](std::uint64_t v) { return std::to_string(v); });
    }
    const auto plain = [](std::uint64_t v) { return std::to_string(v); };
    range("udp_source", group.udp_source.min, group.udp_source.max, plain);
    range("udp_destination", group.udp_destination.min, group.udp_destination.max, plain);
    range("queue_map", group.queue_map_min, group.queue_map_max, plain);
    for (const auto& [key, message] : frame_complaints(group, places_, prefix_)) {
      report(key, message);
    }
  }

  template <class Format>
  void range(const std::string& key, std::uint64_t low, std::uint64_t high, const Format& format) {
    const std::string min = key + ".min";
    const std::string max = key + ".max";
    if (!places_.is_map(prefix_ + key)) return;
    if (!given(min) || !given(max)) {
      const bool sizes = key == "packet_size";
      report(key, std::string("a range needs both min and max") +
                      (sizes ? "; for a mix write imix" : ""));
    } else if (low > high && good({min, max})) {
      report(min, "min " + format(low) + " is above max " + format(high));
    }
  }

  template <class Entries>
  void names(const std::string& list, const Entries& entries) {
    for (std::size_t i = 1; i < entries.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (entries[i].name != entries[j].name) continue;
        const std::string first = list + '[' + std::to_string(j) + ']';
        const std::string key = list + '[' + std::to_string(i) + "].name";
        if (!places_.good(key) || !places_.good(first + ".name")) continue;
        report(key, (places_.given(key) ? quoted(entries[i].name)
                                        : "missing, and the default " + quoted(entries[i].name)) +
                        " is already the name of " + first);
        break;
      }
    }
  }

  void pktgen() {
    if (given("pktgen.threads") && !given("pktgen.control_fs")) {
      report("pktgen.threads",
             "has no effect without pktgen.control_fs; name a directory, or remove it");
    }
    if (config_.pktgen.control_fs.empty()) return;
    for (std::size_t i = 0; i < config_.generators.size(); ++i) {
      const std::string key = "generators[" + std::to_string(i) + "].name";
      if (config_.generators[i].name.starts_with("kpktgend_") && good({key})) {
        report(key,
               "kpktgend_... is what the threads of pktgen.control_fs are called in the "
               "metrics; choose another name");
      }
    }
  }

  bool names_good() const {
    for (std::size_t i = 0; i < config_.devices.size(); ++i) {
      if (!places_.good("devices[" + std::to_string(i) + "].name")) return false;
    }
    return true;
  }

  void memory() {
    if (!diagnostics_.empty()) return;  // the need is only meaningful for a valid configuration
    const std::uint64_t pages = required_pages(config_);
    if (pages <= arena_pages(config_)) return;
    const bool leaks = std::any_of(config_.generators.begin(), config_.generators.end(),
                                   [](const auto& group) { return group.leak.every != 0; });
    report(
        "memory.limit",
        (given("memory.limit")
             ? format_quantity(config_.memory.limit_bytes, Quantity::kSize)
             : "the default, at most " + format_quantity(kMostByDefault, Quantity::kSize) + ",") +
            " is too small: queues and generators can hold " + std::to_string(pages) +
            " pages of 4KiB at once; allowed: at least " + std::to_string(required_mib(config_)) +
            "MiB, or shorten tx_queue_len" + (leaks ? ", or lower leak.at_most" : ""));
  }

  bool given(const std::string& key) const { return places_.given(prefix_ + key); }
  bool good(std::initializer_list<std::string> keys) const {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return places_.good(prefix_ + key); });
  }
  // As a compiler writes it.
  std::string place_of(const std::string& key) const {
    const Position at = places_.of(prefix_ + key);
    return sources_[at.source] + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
  }
  void report(const std::string& key, const std::string& message) {
    const Position at = places_.of(prefix_ + key);
    diagnostics_.push_back({sources_[at.source], at, prefix_ + key, message});
  }

  const Config& config_;
  const Places& places_;
  std::span<const std::string> sources_;
  std::vector<Diagnostic>& diagnostics_;
  std::string prefix_;  // of the entry being checked, with the dot
};

}  // namespace

void check_rules(const Config& config, const Places& places, std::span<const std::string> sources,
                 std::vector<Diagnostic>& diagnostics) {
  Rules(config, places, sources, diagnostics).run();
}

}  // namespace qdiscsim::config
