// TapInterface: a real TAP interface in a network namespace of its own. A frame that is written to
// it arrives there as if it came from a wire: tcpdump, Wireshark and `ip -s link` see it.
//
// One open /dev/net/tun for each tx queue, which the kernel calls a queue of the interface
// (IFF_MULTI_QUEUE when there are several). The interface is gone when they are closed.
//
// Threads: constructor and destructor from the control thread; write() from any, whatever its
// namespace. Errors: UnusableConfiguration, one line.
// Source of the behaviour: linux Documentation/networking/tuntap.rst and drivers/net/tun.c.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/net_namespace.h"
#include "daemon/unique_fd.h"
#include "qdisc/tap_link.h"

namespace qdiscsim {

struct TapOptions {
  std::string device;     // for messages
  std::string interface;  // 1 to 15 characters; not yet in the namespace
  std::uint32_t queues = 1;
};

class TapInterface final : public FrameWriter {
 public:
  // Up, without addresses, and large enough for every packet. Needs CAP_NET_ADMIN.
  TapInterface(const TapOptions& options, std::shared_ptr<const NetNamespace> space);

  // EIO while somebody has set the interface down; EAGAIN, ENOBUFS and ENOMEM under pressure.
  int write(std::uint16_t queue, std::span<const std::byte> frame) noexcept override;

 private:
  void open_queue();
  void bring_up() const;
  [[noreturn]] void refuse(const std::string& why) const;

  TapOptions options_;
  std::shared_ptr<const NetNamespace> space_;
  std::vector<UniqueFd> queues_;
};

}  // namespace qdiscsim
