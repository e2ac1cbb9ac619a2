// The words of Device::kernel_bugs. In the number, bit n stands for the n-th of them, and for the
// n-th KernelBug in qdisc/kernel_bugs.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace qdiscsim::config {

inline constexpr std::array<std::string_view, 9> kKernelBugWords{
    "single_trylock",     "stale_missed",    "no_drain_state",
    "unlimited_bulk",     "bypass_reorders", "deactivated_reschedules",
    "reset_before_grace", "kept_cpustats",   "parallel_runs"};

// A word that is not in the list does not compile.
consteval std::uint32_t kernel_bug(std::string_view word) {
  const auto found = std::find(kKernelBugWords.begin(), kKernelBugWords.end(), word);
  if (found == kKernelBugWords.end()) throw "no such word";
  return 1U << static_cast<unsigned>(found - kKernelBugWords.begin());
}

// "single_trylock, stale_missed"; empty for none.
inline std::string kernel_bug_names(std::uint32_t bugs) {
  std::string text;
  for (std::size_t i = 0; i < kKernelBugWords.size(); ++i) {
    if ((bugs >> i & 1U) == 0) continue;
    if (!text.empty()) text += ", ";
    text += kKernelBugWords[i];
  }
  return text;
}

}  // namespace qdiscsim::config
