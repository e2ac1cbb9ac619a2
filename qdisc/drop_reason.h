// What the kernel's skb:kfree_skb tracepoint calls the drops of a qdisc. 6.1 has one word for all;
// 6.18 tells a full band apart. Source: enum skb_drop_reason, linux include/net/dropreason-core.h.
#pragma once

#include <string_view>

#include "base/kernel_version.h"

namespace qdiscsim {

constexpr std::string_view full_band_drop_reason(KernelVersion kernel) noexcept {
  return kernel < KernelVersion::k6_18 ? "QDISC_DROP" : "QDISC_OVERLIMIT";
}

}  // namespace qdiscsim
