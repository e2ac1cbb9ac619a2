// Doorbell: how one side of a ring sleeps until the other one rings. An eventfd, as in the kernel's
// ringtest, behind a flag that spares the system call while the other side is awake.
//
// One sleeper, one ringer. The sleeper arms, looks at its ring once more, and only then sleeps; the
// ringer fills the ring and then exchanges the flag. Whoever comes second at the flag sees what the
// first one did before: the ringer that the other sleeps, or the sleeper what is in the ring.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "base/cacheline.h"

namespace qdiscsim::ring_bench {

class Doorbell {
 public:
  // Throws std::system_error.
  Doorbell() : fd_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {
    if (fd_ < 0) throw std::system_error{errno, std::system_category(), "eventfd"};
  }
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;
  ~Doorbell() { close(fd_); }

  // The ringer, after it filled the ring. True: the other side slept.
  bool ring() noexcept {
    if (!asleep_.exchange(false, std::memory_order_acq_rel)) return false;  // partner: arm
    eventfd_write(fd_, 1);
    return true;
  }

  // The sleeper.
  void arm() noexcept { asleep_.exchange(true, std::memory_order_acq_rel); }  // partner: ring
  void disarm() noexcept { asleep_.store(false, std::memory_order_relaxed); }
  // Until the bell rings, or for `milliseconds`.
  void sleep(int milliseconds) noexcept {
    pollfd wait{fd_, POLLIN, 0};
    poll(&wait, 1, milliseconds);
    eventfd_t rung = 0;
    eventfd_read(fd_, &rung);
    disarm();
  }

 private:
  alignas(kCacheLine) std::atomic<bool> asleep_{false};
  int fd_;
};

}  // namespace qdiscsim::ring_bench
