// A tun device with a vhost worker and a guest's vring behind it, driven by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "qdisc/tun_link.h"
#include "qdisc/vhost_worker.h"
#include "ring/ptr_ring.h"
#include "ring/vring_driver.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim::test {

class VhostLab {
 public:
  using Smp = smp::Native;
  using Tun = TunLink<Smp, PtrRing<Smp>>;
  using Host = VringHost<Smp>;
  using Worker = VhostWorker<Smp, Tun, Host>;

  static constexpr GuestAddress kRingAt = 0x10000;
  static constexpr GuestAddress kDataAt = 0x100000;
  static constexpr CpuId kSender = 0;
  static constexpr CpuId kReader = 1;

  VhostLab(std::size_t length, std::size_t buffers, std::size_t batch,
           std::uint32_t buffer_bytes = 128)
      : tun{sink, 1, length, 2},
        bytes_(buffers * buffer_bytes),
        buffer_bytes_{buffer_bytes},
        ring{buffers, true},
        driver{ring},
        worker{tun,  tx_queue, mapped(),
               call, kReader,  {.queue = 0, .batch = batch, .busy_poll = false}} {
    driver.disable_callbacks();
  }

  // Sends packets of 60 bytes that carry the next numbers; answers how many tun accepted.
  std::size_t send(std::size_t count) {
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Packet& packet = *packets_.emplace_back(std::make_unique<Packet>());
      std::memcpy(packet.bytes.data(), &sent, sizeof sent);
      packet.skb.data = packet.bytes.data();
      packet.skb.len = static_cast<std::uint32_t>(packet.bytes.size());
      ++sent;
      accepted += tun.transmit(cpu, tx_queue, &packet.skb, false) == Verdict::kOk ? 1 : 0;
    }
    return accepted;
  }

  // The guest gives `count` buffers.
  void post(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = next_buffer_++ % ring.size() * buffer_bytes_;
      QDISCSIM_CHECK(driver.add_in({kDataAt + at, buffer_bytes_}, &bytes_[at]));
    }
    if (driver.kick_prepare()) worker.kick().signal();
  }

  // The numbers of the packets that the guest finds.
  std::vector<std::uint64_t> received() {
    std::vector<std::uint64_t> numbers;
    std::uint32_t written = 0;
    while (void* buffer = driver.get_used(&written)) {
      QDISCSIM_CHECK_EQ(written, Worker::kHeader + 60);
      std::uint64_t number = 0;
      std::memcpy(&number, static_cast<std::byte*>(buffer) + Worker::kHeader, sizeof number);
      numbers.push_back(number);
    }
    return numbers;
  }

 private:
  struct Packet {
    Skb<Smp> skb;
    std::array<std::byte, 60> bytes{};
  };

  Host& mapped() {
    QDISCSIM_CHECK(memory_.add({kRingAt, ring.bytes(), ring.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(memory_.add({kDataAt, bytes_.size(), bytes_.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(host.attach());
    return host;
  }

 public:
  RecordingSink<Smp> sink;
  Tun tun;
  Cpu<Smp> cpu{kSender};
  TxQueue<Smp> tx_queue{0, 2, 0, 0};
  std::uint64_t sent = 0;

 private:
  std::vector<std::unique_ptr<Packet>> packets_;
  std::vector<std::byte> bytes_;
  std::uint32_t buffer_bytes_;
  std::size_t next_buffer_ = 0;
  GuestMemory memory_;

 public:
  Vring<Smp> ring;
  VringDriver<Smp> driver;
  Host host{ring, memory_, kRingAt};
  EventCounter<Smp> call;
  Worker worker;
};

}  // namespace qdiscsim::test
