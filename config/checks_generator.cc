#include "config/checks_generator.h"

#include "config/checks_device.h"
#include "config/frame_rules.h"
#include "config/suggest.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

class GeneratorRules : public Rules {
 public:
  explicit GeneratorRules(const Rules& rules) : Rules(rules) {}

  void run(const GeneratorGroup& group) const {
    check_ring(*this, "page_pool.ring", group.page_pool.ring);
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

 private:
  void target(const GeneratorGroup& group) const {
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

  void unknown_device(const std::string& name) const {
    std::vector<std::string> known;
    for (const Device& device : config_.devices) known.push_back(device.name);
    const auto meant = closest(name, known);
    report("device", (given("device") ? "there is no device "
                                      : "missing, and there is no device with the default name ") +
                         quoted(name) + "; allowed: " + join_or(known) +
                         (meant && known.size() > 1 ? "; did you mean " + *meant + "?" : ""));
  }

  void modes(const GeneratorGroup& group) const {
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

  void pace(const GeneratorGroup& group) const {
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

  void traffic(const GeneratorGroup& group) const {
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

  void ranges(const GeneratorGroup& group) const {
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
  void range(const std::string& key, std::uint64_t low, std::uint64_t high,
             const Format& format) const {
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

  bool names_good() const {
    for (std::size_t i = 0; i < config_.devices.size(); ++i) {
      if (!places_.good("devices[" + std::to_string(i) + "].name")) return false;
    }
    return true;
  }
};

}  // namespace

void check_generator(const Rules& rules, const GeneratorGroup& group) {
  GeneratorRules(rules).run(group);
}

}  // namespace qdiscsim::config
