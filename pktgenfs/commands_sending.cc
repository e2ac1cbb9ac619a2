// Commands that say how packets are sent: pace, copies, mode, flags, imix (command.h).
#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "pktgenfs/command.h"
#include "pktgenfs/flags.h"

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::size_t kDigits = 10;
constexpr std::size_t kModeBytes = 31;  // bytes of a mode's or flag's name

Answer set_delay(Call& call) {
  constexpr std::uint64_t kNeverAsWritten = 0x7fffffff;
  const std::uint64_t value = call.words.number(kDigits).value;
  call.settings.delay = value == kNeverAsWritten ? DeviceSettings::kNever : value;
  call.ok("delay", std::to_string(call.settings.delay));
  return 0;
}

// `ns` is the delay at a rate of 1.
Answer set_rate(Call& call, std::uint64_t ns) {
  const Words::Number rate = call.words.number(kDigits);
  if (rate.value == 0) {
    return call.rules.refuses_zero_rate ? -EINVAL : static_cast<Answer>(rate.digits);
  }
  call.settings.delay = ns / rate.value;
  call.ok("rate", std::to_string(rate.value));  // ratep answers so too
  return 0;
}

Answer set_bit_rate(Call& call) {  // Mbit/s, of the size that is set by now
  return set_rate(call, std::uint64_t{call.settings.min_pkt_size} * 8 * kMicrosecond);
}

Answer set_packet_rate(Call& call) {
  return set_rate(call, kSecond);
}

Answer set_clone_skb(Call& call) {
  DeviceSettings& s = call.settings;
  const std::uint64_t value = call.words.number(kDigits).value;
  if (value > 0) {
    if (s.mode == TransmitMode::kNetifReceive || !call.interface.shares_skbs) {
      return -call.rules.not_supported;
    }
    if (!s.imix.empty()) return -EINVAL;
    if (call.rules.shared_flag && !s.has(Flag::kShared)) return -EINVAL;
  }
  s.clone_skb = static_cast<std::uint32_t>(value);
  call.ok("clone_skb", std::to_string(static_cast<std::int32_t>(s.clone_skb)));
  return 0;
}

Answer set_burst(Call& call) {
  DeviceSettings& s = call.settings;
  const std::uint64_t value = call.words.number(kDigits).value;
  if (value > 1) {
    if (s.mode == TransmitMode::kQueueXmit ||
        (s.mode == TransmitMode::kStartXmit && !call.interface.shares_skbs)) {
      return -call.rules.not_supported;
    }
    if (call.rules.shared_flag && !s.has(Flag::kShared)) return -EINVAL;
  }
  s.burst = std::max(static_cast<std::uint32_t>(value), 1U);
  call.ok("burst", std::to_string(s.burst));
  return 0;
}

Answer set_node(Call& call) {
  const std::uint64_t value = call.words.number(kDigits).value;
  if (value == 0) {  // the one memory node that there is
    call.settings.node = 0;
    call.ok("node", "0");
  } else {
    call.result = "ERROR: node not possible";
  }
  return 0;
}

Answer set_mode(Call& call) {
  DeviceSettings& s = call.settings;
  const std::string word{call.words.word(kModeBytes)};
  if (word == "start_xmit") {
    s.mode = TransmitMode::kStartXmit;
  } else if (word == "netif_receive") {
    if (s.clone_skb > 0) return -call.rules.not_supported;
    s.mode = TransmitMode::kNetifReceive;
  } else if (word == "queue_xmit") {
    s.mode = TransmitMode::kQueueXmit;
  } else {
    call.result =
        "xmit_mode -:" + word + ":- unknown\nAvailable modes: start_xmit, netif_receive\n";
    return 0;
  }
  call.ok("xmit_mode", word);
  return 0;
}

Answer set_flag(Call& call) {
  DeviceSettings& s = call.settings;
  const std::string word{call.words.word(kModeBytes)};
  const auto change = flag_change_of(word, call.rules);
  if (!change) {
    call.result = "Flag -:" + word + ":- unknown\nAvailable flags, (prepend ! to un-set flag):\n" +
                  known_flags(call.rules);
    return 0;
  }
  if (!change->clears) {
    s.flags |= bit(change->flag);
  } else {
    // An skb that is sent several times must be shared.
    if (change->flag == Flag::kShared && (s.clone_skb > 0 || s.burst > 1)) return -EINVAL;
    s.flags &= ~bit(change->flag);
  }
  call.ok("flags", hex_text("0x%x", s.flags));
  return 0;
}

// "size,weight size,weight ..."; what was read before a mistake stays. The Result line does not
// change.
Answer set_imix(Call& call) {
  DeviceSettings& s = call.settings;
  if (s.clone_skb > 0) return -EINVAL;
  s.imix.clear();
  do {
    if (s.imix.size() >= DeviceSettings::kMostImix) return -E2BIG;
    if (call.words.at_end()) return -EINVAL;
    const std::uint64_t size = call.words.number(kDigits).value;
    if (call.words.at_end() || call.words.next() != ',' || call.words.at_end()) return -EINVAL;
    const std::uint64_t weight = call.words.number(kDigits).value;
    if (weight == 0) return -EINVAL;
    s.imix.push_back({std::max<std::uint64_t>(size, DeviceSettings::kLeastSize), weight});
  } while (!call.words.at_end() && call.words.next() == ' ');
  return 0;
}

Answer clear_counters(Call& call) {
  call.clears_counters = true;
  call.result = "OK: Clearing counters.\n";
  return 0;
}

constexpr Command kSendingCommands[] = {
    {"delay", set_delay},         {"rate", set_bit_rate},
    {"ratep", set_packet_rate},   {"burst", set_burst},
    {"clone_skb", set_clone_skb}, {"xmit_mode", set_mode},
    {"flag", set_flag},           {"imix_weights", set_imix},
    {"node", set_node},           {"clear_counters", clear_counters},
};

}  // namespace

std::span<const Command> sending_commands() noexcept {
  return kSendingCommands;
}

}  // namespace qdiscsim::pktgenfs
