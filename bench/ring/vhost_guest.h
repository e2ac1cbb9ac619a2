// VhostGuest: the guest's receive queue in the vhost_net scenario: posts buffers, looks at what
// comes, posts them again. Polls while packets come, and sleeps on the host's signal when none
// does, as virtio_net under NAPI. Either on a thread of its own (run) or as work of the host's
// thread (share).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/cacheline.h"
#include "base/check.h"
#include "base/counter.h"
#include "base/smp_native.h"
#include "bench/ring/threads.h"
#include "ring/guest_memory.h"
#include "ring/notifier.h"
#include "ring/vring_driver.h"

namespace qdiscsim::ring_bench {

class VhostGuest {
 public:
  using Smp = smp::Native;

  static constexpr std::size_t kBuffers = 256;
  static constexpr std::uint32_t kBufferBytes = 1536;
  static constexpr GuestAddress kRingAt = 0x10'0000;
  static constexpr GuestAddress kBuffersAt = 0x4000'0000;

  // first: bytes before the packet in a buffer.
  VhostGuest(bool event_index, std::size_t first)
      : first_{first},
        ring_{kBuffers, event_index},
        bytes_(kBuffers * kBufferBytes),
        driver_{ring_} {
    QDISCSIM_CHECK(memory_.add({kRingAt, ring_.bytes(), ring_.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(
        memory_.add({kBuffersAt, bytes_.size(), bytes_.data(), GuestAccess::kReadWrite}));
    for (std::size_t i = 0; i < kBuffers; ++i) post(&bytes_[i * kBufferBytes]);
  }

  Vring<Smp>& ring() noexcept { return ring_; }
  const GuestMemory& memory() const noexcept { return memory_; }
  EventCounter<Smp>& call() noexcept { return call_; }

  // As work of the host's thread, which shares its CPU with the guest. Before threads start.
  void share(WorkList<Smp>& host_thread, EventCounter<Smp>& kick) noexcept {
    host_thread_ = &host_thread;
    kick_ = &kick;
    call_.attach(interrupt_);
    host_thread.queue(napi_);
  }

  // On a thread of its own, until control says stop.
  void run(EventCounter<Smp>& kick, RunControl& control) noexcept {
    Wait wait{control};
    while (!control.stopped()) {
      poll_until_idle(kick);
      while (!call_.pending() && wait.pause()) {
      }
      call_.take();
    }
    poll(kick);
  }

  // Any thread.
  std::uint64_t received() const noexcept { return received_.read(); }
  // After the run: packets whose number fell, or whose length is not that of the first.
  std::uint64_t wrong() const noexcept { return wrong_ + driver_.broken(); }

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

  void poll_until_idle(EventCounter<Smp>& kick) noexcept {
    if (driver_.kick_prepare()) kick.signal();
    do {
      driver_.disable_callbacks();
      while (poll(kick) != 0) {
      }
    } while (!driver_.enable_callbacks());
  }

  static constexpr std::size_t kNumberAt = 46;  // in the packet: pktgen's sequence number

  void post(std::byte* buffer) noexcept {
    const auto at = static_cast<std::uint64_t>(buffer - bytes_.data());
    if (!driver_.add_in({kBuffersAt + at, kBufferBytes}, buffer)) ++wrong_;
  }

  // Takes what is there, then posts the buffers again with one kick.
  std::size_t poll(EventCounter<Smp>& kick) noexcept {
    std::size_t count = 0;
    std::uint32_t written = 0;
    std::array<void*, 64> taken;
    while (count < taken.size() && (taken[count] = driver_.get_used(&written)) != nullptr) {
      look(static_cast<const std::byte*>(taken[count]), written);
      ++count;
    }
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) post(static_cast<std::byte*>(taken[i]));
    if (driver_.kick_prepare()) kick.signal();
    received_.add(count);
    return count;
  }

  void look(const std::byte* buffer, std::uint32_t written) noexcept {
    std::uint32_t number = 0;
    std::memcpy(&number, buffer + first_ + kNumberAt, sizeof number);
    number = __builtin_bswap32(number);
    if (seen_ && (number < last_ || written != length_)) ++wrong_;
    seen_ = true;
    last_ = number;
    length_ = written;
  }

  std::size_t first_;
  Vring<Smp> ring_;
  std::vector<std::byte> bytes_;
  GuestMemory memory_;
  VringDriver<Smp> driver_;
  EventCounter<Smp> call_;
  WorkList<Smp>* host_thread_ = nullptr;  // where interrupts go, when the thread is shared
  EventCounter<Smp>* kick_ = nullptr;
  Interrupt interrupt_{*this};
  Napi napi_{*this};
  alignas(kCacheLine) Counter<Smp> received_;
  bool seen_ = false;
  std::uint32_t last_ = 0;
  std::uint32_t length_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace qdiscsim::ring_bench
