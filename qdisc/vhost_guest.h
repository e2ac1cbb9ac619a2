// VhostGuest: the guest's receive queue behind a vhost worker (vhost_worker.h): posts its buffers,
// looks at what comes, posts them again. Polls while packets come, and asks for the host's signal
// when none does, as virtio_net under NAPI.
//
// Threads. Either run() on a thread of its own, until stop(), or share() before threads start: then
// its interrupt is work for the worker's thread. stop() and the counters from any thread;
// take_rest() when neither thread runs. Throws std::bad_alloc from the constructor only.
// Source of the behaviour: linux drivers/net/virtio_net.c, receiving without mergeable buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/cacheline.h"
#include "base/check.h"
#include "base/counter.h"
#include "ring/guest_memory.h"
#include "ring/notifier.h"
#include "ring/vring_driver.h"

namespace qdiscsim {

template <class Smp>
struct alignas(kCacheLine) VhostGuestCounters {
  Counter<Smp> packets;
  Counter<Smp> bytes;  // of the packets, without what stands before them
  Counter<Smp> wrong;  // packets that are not whole, and used buffers that were never posted
};

template <class Smp>
class VhostGuest {
 public:
  // The largest packet of pktgen (3500 bytes) with a virtio-net header before it.
  static constexpr std::uint32_t kBufferBytes = 4096;
  static constexpr GuestAddress kRingAt = 0x10'0000;
  static constexpr GuestAddress kBuffersAt = 0x4000'0000;

  // buffers: size of the vring, a power of two. header: bytes before the packet in a buffer.
  VhostGuest(std::size_t buffers, std::size_t header)
      : header_{header}, ring_{buffers, true}, bytes_(buffers * kBufferBytes), driver_{ring_} {
    QDISCSIM_CHECK(memory_.add({kRingAt, ring_.bytes(), ring_.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(
        memory_.add({kBuffersAt, bytes_.size(), bytes_.data(), GuestAccess::kReadWrite}));
    for (std::size_t i = 0; i < buffers; ++i) post(&bytes_[i * kBufferBytes]);
  }
  VhostGuest(const VhostGuest&) = delete;
  VhostGuest& operator=(const VhostGuest&) = delete;

  Vring<Smp>& ring() noexcept { return ring_; }
  const GuestMemory& memory() const noexcept { return memory_; }
  EventCounter<Smp>& call() noexcept { return call_; }
  const VhostGuestCounters<Smp>& counters() const noexcept { return counters_; }

  void share(WorkList<Smp>& host_thread, EventCounter<Smp>& kick) noexcept {
    host_thread_ = &host_thread;
    kick_ = &kick;
    call_.attach(interrupt_);
    host_thread.queue(napi_);
  }

  // busy_poll: awake while idle.
  void run(EventCounter<Smp>& kick, bool busy_poll) noexcept {
    while (!stop_.load(smp::relaxed)) {
      poll_until_idle(kick);
      typename Smp::Spinner spinner;
      while (busy_poll && !call_.pending()) spinner.pause();
      call_.wait();
      call_.take();
    }
  }
  void stop() noexcept {
    stop_.store(true, smp::relaxed);  // the signal carries it
    call_.signal();
  }

  // What the host gave back after the last look.
  void take_rest() noexcept {
    while (poll() != 0) {
    }
  }

 private:
  class Interrupt final : public EventCounter<Smp>::Waiter {
   public:
    explicit Interrupt(VhostGuest& guest) noexcept : guest_{guest} {}
    void wake() noexcept override { guest_.host_thread_->queue(guest_.napi_); }

   private:
    VhostGuest& guest_;
  };
  class Napi final : public WorkList<Smp>::Work {
   public:
    explicit Napi(VhostGuest& guest) noexcept : guest_{guest} {}
    void run() noexcept override { guest_.poll_until_idle(*guest_.kick_); }

   private:
    VhostGuest& guest_;
  };

  // Until nothing is used and the host will signal.
  void poll_until_idle(EventCounter<Smp>& kick) noexcept {
    if (driver_.kick_prepare()) kick.signal();
    do {
      driver_.disable_callbacks();
      while (poll() != 0) {
        if (driver_.kick_prepare()) kick.signal();
      }
    } while (!driver_.enable_callbacks());
  }

  void post(std::byte* buffer) noexcept {
    const auto at = static_cast<std::uint64_t>(buffer - bytes_.data());
    if (!driver_.add_in({kBuffersAt + at, kBufferBytes}, buffer)) counters_.wrong.add(1);
  }

  // Takes what is there, as much as one turn may, and posts the buffers again.
  std::size_t poll() noexcept {
    constexpr std::size_t kBudget = 64;  // NAPI's
    std::array<void*, kBudget> taken;
    std::size_t count = 0;
    std::uint32_t written = 0;
    while (count < kBudget && (taken[count] = driver_.get_used(&written)) != nullptr) {
      look(static_cast<const std::byte*>(taken[count]), written);
      ++count;
    }
    if (driver_.broken() != broken_) {
      counters_.wrong.add(driver_.broken() - broken_);
      broken_ = driver_.broken();
    }
    for (std::size_t i = 0; i < count; ++i) post(static_cast<std::byte*>(taken[i]));
    return count;
  }

  // The start of the stack's way: the length in the IPv4 header must fit what came.
  void look(const std::byte* buffer, std::uint32_t written) noexcept {
    constexpr std::size_t kEthernet = 14;
    constexpr std::size_t kTotalLength = kEthernet + 2;
    constexpr std::size_t kIpv4 = 20;
    bool whole = written >= header_ + kEthernet + kIpv4;
    if (whole) {
      std::uint16_t length = 0;
      std::memcpy(&length, buffer + header_ + kTotalLength, sizeof length);
      whole = __builtin_bswap16(length) + kEthernet <= written - header_;
    }
    if (!whole) counters_.wrong.add(1);
    counters_.packets.add(1);
    counters_.bytes.add(written - header_);
  }

  std::size_t header_;
  Vring<Smp> ring_;
  std::vector<std::byte> bytes_;
  GuestMemory memory_;
  VringDriver<Smp> driver_;
  EventCounter<Smp> call_;
  WorkList<Smp>* host_thread_ = nullptr;  // where interrupts go, when the thread is shared
  EventCounter<Smp>* kick_ = nullptr;
  Interrupt interrupt_{*this};
  Napi napi_{*this};
  std::uint64_t broken_ = 0;  // of the driver, as counted last
  typename Smp::template atomic<bool> stop_{};
  VhostGuestCounters<Smp> counters_;
};

}  // namespace qdiscsim
