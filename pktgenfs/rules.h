// Rules: what differs from one kernel to another in pktgen's control files.
// Source: linux net/core/pktgen.c of 6.1 and 6.18; each line names the release that changed it.
#pragma once

#include <cerrno>

#include "base/kernel_version.h"

namespace qdiscsim::pktgenfs {

struct Rules {
  static constexpr int kEnotsupp = 524;  // of the kernel's own, not in <cerrno>

  bool shared_flag = true;         // since 6.7: the flag SHARED, set at first
  bool equals_ends_word = true;    // since 6.15: "count=5"; before, only "count 5"
  bool refuses_zero_rate = true;   // since 6.15: EINVAL; before, a short write
  bool zero_label_clears = true;   // since 6.15: "mpls 0"; before, label 0
  int not_supported = EOPNOTSUPP;  // since 6.15; before, ENOTSUPP
};

constexpr Rules rules_of(KernelVersion kernel) noexcept {
  if (kernel < KernelVersion::k6_18) return {false, false, false, false, Rules::kEnotsupp};
  return {};
}

}  // namespace qdiscsim::pktgenfs
