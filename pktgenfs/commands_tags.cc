// Commands of tags and classes: VLAN, MPLS, tos (command.h).
#include <cerrno>

#include "pktgenfs/command.h"

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::uint64_t kMostId = VlanTag::kIds - 1;

// A tag that is turned on turns MPLS off. An id that is none turns both tags off, without a word.
Answer set_tag_id(Call& call, std::string_view name, VlanTag& tag, bool allowed) {
  const std::uint64_t id = call.words.number(4).value;
  if (id > kMostId || !allowed) {
    call.settings.vlan.id = call.settings.svlan.id = VlanTag::kNone;
    return 0;
  }
  tag.id = static_cast<std::uint16_t>(id);
  call.settings.mpls.clear();
  call.ok(name, std::to_string(id));
  return 0;
}

// One digit, of a tag that is on.
Answer set_tag_field(Call& call, const char* name, const VlanTag& tag, std::uint8_t& field,
                     std::uint64_t most) {
  const std::uint64_t value = call.words.number(1).value;
  if (value > most || !tag.on()) {
    call.result = std::string{"ERROR: "} + name + " must be 0-" + std::to_string(most);
    return 0;
  }
  field = static_cast<std::uint8_t>(value);
  call.ok(name, std::to_string(value));
  return 0;
}

Answer set_class(Call& call, const char* name, std::uint8_t& field) {
  const Words::Number value = call.words.hex(2);
  if (value.digits != 2) {
    call.result = std::string{"ERROR: "} + name + " must be 00-ff";
    return 0;
  }
  field = static_cast<std::uint8_t>(value.value);
  call.ok(name, hex_text("0x%02x", field));
  return 0;
}

// Reads "h,h,..." into the settings; nothing stays of a list with a mistake.
Answer read_labels(Call& call) {
  DeviceSettings& s = call.settings;
  s.mpls.clear();
  std::vector<std::uint32_t> labels;
  do {
    if (labels.size() >= DeviceSettings::kMostLabels) return -E2BIG;
    if (call.words.at_end() && call.rules.zero_label_clears) return -EINVAL;
    const Words::Number label = call.words.hex(8);
    if (label.digits == 0 || (label.value == 0 && call.rules.zero_label_clears)) return 0;
    labels.push_back(static_cast<std::uint32_t>(label.value));
    if ((labels.back() & kBottomOfStack) != 0) s.flags |= bit(Flag::kMplsRandom);
  } while (!call.words.at_end() && call.words.next() == ',');
  s.mpls = labels;
  return 0;
}

Answer set_mpls(Call& call) {
  DeviceSettings& s = call.settings;
  if (const Answer answer = read_labels(call); answer < 0) return answer;
  std::string text;
  for (const std::uint32_t label : s.mpls) {
    if (!text.empty()) text += ',';
    text += hex_text("%08x", label);
  }
  call.ok("mpls", text);
  if (!s.mpls.empty() && s.vlan.on()) s.vlan.id = s.svlan.id = VlanTag::kNone;
  return 0;
}

constexpr Command kTagCommands[] = {
    {"vlan_id", [](Call& c) { return set_tag_id(c, "vlan_id", c.settings.vlan, true); }},
    {"vlan_p",
     [](Call& c) {
       return set_tag_field(c, "vlan_p", c.settings.vlan, c.settings.vlan.priority, 7);
     }},
    {"vlan_cfi",
     [](Call& c) { return set_tag_field(c, "vlan_cfi", c.settings.vlan, c.settings.vlan.cfi, 1); }},
    {"svlan_id",
     [](Call& c) { return set_tag_id(c, "svlan_id", c.settings.svlan, c.settings.vlan.on()); }},
    {"svlan_p",
     [](Call& c) {
       return set_tag_field(c, "svlan_p", c.settings.svlan, c.settings.svlan.priority, 7);
     }},
    {"svlan_cfi",
     [](Call& c) {
       return set_tag_field(c, "svlan_cfi", c.settings.svlan, c.settings.svlan.cfi, 1);
     }},
    {"mpls", set_mpls},
    {"tos", [](Call& c) { return set_class(c, "tos", c.settings.tos); }},
    {"traffic_class",
     [](Call& c) { return set_class(c, "traffic_class", c.settings.traffic_class); }},
};

}  // namespace

std::span<const Command> tag_commands() noexcept {
  return kTagCommands;
}

}  // namespace qdiscsim::pktgenfs
