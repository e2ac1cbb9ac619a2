#include "pktgenfs/flags.h"

#include <array>

namespace qdiscsim::pktgenfs {
namespace {

constexpr std::array<std::string_view, kFlags> kFlagNames{
    "IPV6",          "IPSRC_RND", "IPDST_RND",    "TXSIZE_RND", "UDPSRC_RND",
    "UDPDST_RND",    "UDPCSUM",   "NO_TIMESTAMP", "MPLS_RND",   "QUEUE_MAP_RND",
    "QUEUE_MAP_CPU", "FLOW_SEQ",  "IPSEC",        "MACSRC_RND", "MACDST_RND",
    "VID_RND",       "SVID_RND",  "NODE",         "SHARED"};

bool is_known(unsigned flag, const Rules& rules) noexcept {
  return rules.shared_flag || static_cast<Flag>(flag) != Flag::kShared;
}

}  // namespace

std::string_view flag_name(Flag flag) noexcept {
  return kFlagNames[static_cast<unsigned>(flag)];
}

std::optional<FlagChange> flag_change_of(std::string_view word, const Rules& rules) noexcept {
  const bool clears = !word.empty() && word.front() == '!';
  if (clears) word.remove_prefix(1);
  for (unsigned i = 0; i < kFlags; ++i) {
    if (!is_known(i, rules) || kFlagNames[i] != word) continue;
    if (static_cast<Flag>(i) == Flag::kIpv6 && !clears) return std::nullopt;
    return FlagChange{static_cast<Flag>(i), clears};
  }
  if (word == "FLOW_RND") return FlagChange{Flag::kFlowSequence, !clears};
  return std::nullopt;
}

std::string known_flags(const Rules& rules) {
  std::string text;
  for (unsigned i = 0; i < kFlags; ++i) {
    if (!is_known(i, rules)) continue;
    if (!text.empty()) text += ", ";
    text += kFlagNames[i];
  }
  return text;
}

}  // namespace qdiscsim::pktgenfs
