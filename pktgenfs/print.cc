#include "pktgenfs/print.h"

#include "pktgenfs/addresses.h"
#include "pktgenfs/flags.h"
#include "pktgenfs/words.h"

namespace qdiscsim::pktgenfs {
namespace {

// Lines of "name: value  name: value", collected.
class Text {
 public:
  Text& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  template <class Number>
  Text& number(std::string_view label, Number value) {
    text_ += label;
    text_ += std::to_string(value);
    return *this;
  }
  // As the kernel prints an int.
  Text& integer(std::string_view label, std::uint32_t value) {
    return number(label, static_cast<std::int32_t>(value));
  }
  Text& hex(std::string_view label, const char* format, std::uint32_t value) {
    return raw(label).raw(hex_text(format, value));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void print_addresses(Text& text, const DeviceView& device) {
  const DeviceSettings& s = device.settings;
  if (s.has(Flag::kIpv6)) {
    text.raw("     saddr: ").raw(ipv6_text(s.src6));
    text.raw("  min_saddr: ").raw(ipv6_text(s.src6_min));
    text.raw("  max_saddr: ").raw(ipv6_text(s.src6_max));
    text.raw("\n     daddr: ").raw(ipv6_text(s.dst6));
    text.raw("  min_daddr: ").raw(ipv6_text(s.dst6_min));
    text.raw("  max_daddr: ").raw(ipv6_text(s.dst6_max)).raw("\n");
  } else {
    text.raw("     dst_min: ").raw(s.dst_min).raw("  dst_max: ").raw(s.dst_max).raw("\n");
    text.raw("     src_min: ").raw(s.src_min).raw("  src_max: ").raw(s.src_max).raw("\n");
  }
  const bool own_mac = s.src_mac != MacAddress{};
  text.raw("     src_mac: ").raw(mac_text(own_mac ? s.src_mac : device.interface_mac));
  text.raw(" dst_mac: ").raw(mac_text(s.dst_mac)).raw("\n");
  text.number("     udp_src_min: ", s.udp_src_min).number("  udp_src_max: ", s.udp_src_max);
  text.number("  udp_dst_min: ", s.udp_dst_min).number("  udp_dst_max: ", s.udp_dst_max);
  text.integer("\n     src_mac_count: ", s.src_mac_count);
  text.integer("  dst_mac_count: ", s.dst_mac_count).raw("\n");
}

void print_tag(Text& text, std::string_view id, const VlanTag& tag) {
  if (!tag.on()) return;
  text.number(id, tag.id).number("  vlan_p: ", tag.priority).number("  vlan_cfi: ", tag.cfi);
  text.raw("\n");
}

// Lines that stand there only when something was set.
void print_optional(Text& text, const DeviceSettings& s) {
  for (std::size_t i = 0; i < s.mpls.size(); ++i) {
    text.hex(i == 0 ? "     mpls: " : ", ", "%08x", s.mpls[i]);
  }
  if (!s.mpls.empty()) text.raw("\n");
  print_tag(text, "     vlan_id: ", s.vlan);
  print_tag(text, "     svlan_id: ", s.svlan);
  if (s.tos != 0) text.hex("     tos: ", "0x%02x", s.tos).raw("\n");
  if (s.traffic_class != 0) text.hex("     traffic_class: ", "0x%02x", s.traffic_class).raw("\n");
  if (s.burst > 1) text.integer("     burst: ", s.burst).raw("\n");
  if (s.node >= 0) text.number("     node: ", s.node).raw("\n");
  if (s.mode == TransmitMode::kNetifReceive) text.raw("     xmit_mode: netif_receive\n");
  if (s.mode == TransmitMode::kQueueXmit) text.raw("     xmit_mode: xmit_queue\n");
}

void print_flags(Text& text, const DeviceSettings& s) {
  text.raw("     Flags: ");
  for (unsigned i = 0; i < kFlags; ++i) {
    const auto flag = static_cast<Flag>(i);
    if (flag == Flag::kFlowSequence && s.flows == 0) continue;
    if (s.has(flag)) {
      text.raw(flag_name(flag)).raw("  ");
      if (flag == Flag::kIpsec && s.spi != 0) text.number("spi:", s.spi).raw("  ");
    } else if (flag == Flag::kFlowSequence) {
      text.raw("FLOW_RND  ");
    }
  }
  text.raw("\n");
}

void print_params(Text& text, const DeviceView& device) {
  const DeviceSettings& s = device.settings;
  text.number("Params: count ", s.count).number("  min_pkt_size: ", s.min_pkt_size);
  text.number("  max_pkt_size: ", s.max_pkt_size).raw("\n");
  if (!s.imix.empty()) {
    text.raw("     imix_weights: ");
    for (const ImixEntry& entry : s.imix) {
      text.number("", entry.size).number(",", entry.weight).raw(" ");
    }
    text.raw("\n");
  }
  text.integer("     frags: ", s.frags).number("  delay: ", s.delay);
  text.integer("  clone_skb: ", s.clone_skb).raw("  ifname: ").raw(device.name).raw("\n");
  text.number("     flows: ", s.flows).number(" flowlen: ", s.flow_length).raw("\n");
  text.number("     queue_map_min: ", s.queue_map_min);
  text.number("  queue_map_max: ", s.queue_map_max).raw("\n");
  if (s.skb_priority != 0) text.number("     skb_priority: ", s.skb_priority).raw("\n");
  print_addresses(text, device);
  print_optional(text, s);
  print_flags(text, s);
}

void print_current(Text& text, const DeviceView& device) {
  const RunCounters& run = device.counters;
  const CurrentPacket& now = device.current;
  text.number("Current:\n     pkts-sofar: ", run.sofar).number("  errors: ", run.errors).raw("\n");
  if (!device.settings.imix.empty()) {
    text.raw("     imix_size_counts: ");
    for (std::size_t i = 0; i < device.settings.imix.size(); ++i) {
      text.number("", device.settings.imix[i].size).number(",", run.imix[i]).raw(" ");
    }
    text.raw("\n");
  }
  text.number("     started: ", run.started / kMicrosecond);
  text.number("us  stopped: ", run.stopped / kMicrosecond);
  text.number("us idle: ", run.idle / kMicrosecond).raw("us\n");
  text.integer("     seq_num: ", run.sequence);
  text.integer("  cur_dst_mac_offset: ", now.destination_mac_offset);
  text.integer("  cur_src_mac_offset: ", now.source_mac_offset);
  if (device.settings.has(Flag::kIpv6)) {
    text.raw("\n     cur_saddr: ").raw(ipv6_text(now.source6));
    text.raw("  cur_daddr: ").raw(ipv6_text(now.destination6));
  } else {
    text.raw("\n     cur_saddr: ").raw(ipv4_text(now.source));
    text.raw("  cur_daddr: ").raw(ipv4_text(now.destination));
  }
  text.number("\n     cur_udp_dst: ", now.udp_destination);
  text.number("  cur_udp_src: ", now.udp_source);
  text.number("\n     cur_queue_map: ", now.queue);
  text.number("\n     flows: ", run.flows).raw("\n");
}

}  // namespace

std::string print_device(const DeviceView& device) {
  Text text;
  print_params(text, device);
  print_current(text, device);
  text.raw("Result: ").raw(device.result.empty() ? "Idle" : device.result).raw("\n");
  return text.take();
}

}  // namespace qdiscsim::pktgenfs
