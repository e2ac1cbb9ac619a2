#include "daemon/tap_interface.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "daemon/source.h"

namespace qdiscsim {
namespace {

constexpr const char* kTun = "/dev/net/tun";
constexpr int kMtu = 9000;  // a jumbo frame: more than a page, and so than a packet

ifreq request(const std::string& interface) {
  ifreq out{};
  interface.copy(static_cast<char*>(out.ifr_name), IFNAMSIZ - 1);
  return out;
}

std::string no_tun(int error) {
  const bool closed = error == EACCES || error == EPERM;
  return fmt::format(
      "{}: {}; {} (--device {} --cap-add NET_ADMIN --cap-add SYS_ADMIN); or choose another "
      "link.kind",
      kTun, std::strerror(error),
      closed ? "give this user, unit or container access to it"
             : "load the module (modprobe tun), in a container pass the device",
      kTun);
}

}  // namespace

TapInterface::TapInterface(const TapOptions& options, std::shared_ptr<const NetNamespace> space)
    : options_{options}, space_{std::move(space)} {
  space_->inside([this] {
    for (std::uint32_t queue = 0; queue < options_.queues; ++queue) open_queue();
    bring_up();
  });
  spdlog::info("device {}: its packets arrive in namespace {}: ip netns exec {} tcpdump -ni {}",
               options_.device, space_->name(), space_->name(), options_.interface);
}

int TapInterface::write(std::uint16_t queue, std::span<const std::byte> frame) noexcept {
  return ::write(queues_[queue].get(), frame.data(), frame.size()) < 0 ? errno : 0;
}

// The interface belongs to the namespace of the thread that opens the device.
void TapInterface::open_queue() {
  UniqueFd tun{open(kTun, O_RDWR | O_NONBLOCK | O_CLOEXEC)};
  if (!tun) refuse(no_tun(errno));
  ifreq wanted = request(options_.interface);
  int flags = IFF_TAP | IFF_NO_PI;
  if (options_.queues > 1) flags |= IFF_MULTI_QUEUE;
  if (queues_.empty()) flags |= IFF_TUN_EXCL;
  wanted.ifr_flags = static_cast<short>(flags);
  if (ioctl(tun.get(), TUNSETIFF, &wanted) != 0) {
    refuse(tap_error("cannot be made", errno));
  }
  queues_.push_back(std::move(tun));
}

void TapInterface::bring_up() const {
  const UniqueFd any{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq mtu = request(options_.interface);
  mtu.ifr_mtu = kMtu;
  ifreq flags = request(options_.interface);
  if (!any || ioctl(any.get(), SIOCSIFMTU, &mtu) != 0 ||
      ioctl(any.get(), SIOCGIFFLAGS, &flags) != 0) {
    refuse(tap_error("cannot be set up", errno));
  }
  flags.ifr_flags = static_cast<short>(flags.ifr_flags | IFF_UP);
  if (ioctl(any.get(), SIOCSIFFLAGS, &flags) != 0) refuse(tap_error("cannot be set up", errno));
}

void TapInterface::refuse(const std::string& why) const {
  throw UnusableConfiguration{
      fmt::format("device {}: link.interface: {}: {}", options_.device, options_.interface, why)};
}

}  // namespace qdiscsim
