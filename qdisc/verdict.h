// What an enqueue or a driver answers. Values as in Linux (NET_XMIT_*, NETDEV_TX_*).
#pragma once

#include <cstdint>

namespace qdiscsim {

enum class Verdict : std::uint8_t {
  kOk = 0x00,         // accepted
  kDrop = 0x01,       // dropped and consumed
  kCongested = 0x02,  // CN: the queue is down; dropped and consumed
  kBusy = 0x10,       // refused; the caller still owns the skb
};

// A driver answer below 0x0f means that the skb is no longer the caller's.
constexpr bool is_consumed(Verdict verdict) noexcept {
  return static_cast<std::uint8_t>(verdict) < 0x0f;
}

}  // namespace qdiscsim
