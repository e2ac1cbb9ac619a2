// A device that answers as it is told and remembers what it was given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/smp_native.h"
#include "qdisc/device.h"

namespace qdiscsim::test {

template <class Smp>
class FakeDevice final : public NetDevice<Smp> {
 public:
  using Packet = Skb<Smp>;
  using typename NetDevice<Smp>::StartXmit;
  using typename NetDevice<Smp>::Received;
  using typename NetDevice<Smp>::GracePeriod;

  // What a packet looked like when it was given to the device.
  struct Seen {
    std::uint32_t sequence;
    std::uint32_t len;
    std::uint32_t priority;
    std::uint16_t queue;
    Nanoseconds timestamp;
    const Packet* skb;
  };

  explicit FakeDevice(SkbSink<Smp>& sink) : sink_{sink} {}

  std::vector<Seen> seen;          // consumed ones, and only those
  std::deque<Verdict> script;      // answers to the next packets; then all are kOk
  std::vector<std::size_t> calls;  // packets or copies asked for in each call
  std::function<void()> on_call = [] {};
  std::size_t accept_of_list = ~std::size_t{0};
  bool holds = false;  // keeps what it took until it was polled three times
  std::vector<Packet*> held;
  bool keeps_bytes = false;  // of what it consumes: in `bytes`
  std::vector<std::vector<std::byte>> bytes;
  std::uint32_t receive_at_most = ~std::uint32_t{0};  // then somebody seems to keep a reference

  Verdict queue_xmit(Cpu<Smp>& cpu, Packet* skb) noexcept override {
    begin(1);
    const Verdict verdict = answer();
    take(cpu, skb);
    return verdict;
  }

  std::size_t queue_xmit_list(Cpu<Smp>& cpu, std::span<Packet* const> skbs) noexcept override {
    begin(skbs.size());
    for (Packet* skb : skbs) take(cpu, skb);
    return std::min(accept_of_list, skbs.size());
  }

  StartXmit start_xmit(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept override {
    begin(copies);
    StartXmit result;
    while (result.sent < copies) {
      result.last = answer();
      if (result.last == Verdict::kOk || result.dropped()) take(cpu, skb);
      if (result.last != Verdict::kOk) break;
      ++result.sent;
    }
    return result;
  }

  Received receive(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept override {
    begin(copies);
    Received result;
    while (result.delivered < copies && result.delivered < receive_at_most) {
      ++result.delivered;
      if (answer() == Verdict::kDrop) ++result.dropped;
      take(cpu, skb);
    }
    return result;
  }

  bool poll(Cpu<Smp>& cpu, Nanoseconds /*now*/) noexcept override {
    if (held.empty() || ++polls_ % 3 != 0) return false;
    for (Packet* skb : held) sink_.consume(skb, cpu.id());
    held.clear();
    return true;
  }
  Nanoseconds next_interrupt() const noexcept override { return Link<Smp>::kNever; }
  bool needs_poll() const noexcept override { return holds; }

  // A generator has no use for the rest.
  bool drain(Cpu<Smp>& /*cpu*/, std::uint16_t /*queue*/) noexcept override { return false; }
  void deactivate(Cpu<Smp>& /*cpu*/, GracePeriod /*grace*/, void* /*context*/) noexcept override {}
  void activate() noexcept override {}
  bool up() const noexcept override { return true; }
  bool change_tx_queue_len(Cpu<Smp>& /*cpu*/, std::uint32_t /*limit*/, GracePeriod /*grace*/,
                           void* /*context*/) override {
    return false;
  }
  void flush_rings(Cpu<Smp>& /*cpu*/) noexcept override {}
  void set_sojourn_sample(std::uint32_t /*every*/) noexcept override {}
  void set_kernel_bugs(KernelBugs /*bugs*/) noexcept override {}
  void freeze(std::uint16_t /*queue*/, Nanoseconds /*now*/) noexcept override {}
  void thaw(Cpu<Smp>& /*cpu*/, std::uint16_t /*queue*/, Nanoseconds /*now*/) noexcept override {}
  std::optional<std::uint16_t> watchdog(Nanoseconds /*now*/,
                                        Nanoseconds /*timeout*/) noexcept override {
    return std::nullopt;
  }
  Link<Smp>& link() noexcept override { unused(); }
  const Link<Smp>& link() const noexcept override { unused(); }
  std::uint32_t queue_count() const noexcept override { return 1; }
  std::uint32_t qdisc_count() const noexcept override { return 1; }
  std::uint32_t tx_queue_len() const noexcept override { return 1; }
  const TxQueue<Smp>& tx_queue(std::uint16_t /*queue*/) const noexcept override { unused(); }
  TxQueue<Smp>& tx_queue(std::uint16_t /*queue*/) noexcept override { unused(); }
  std::uint64_t received() const noexcept override { return 0; }
  QueueAccount account(std::uint32_t /*index*/, bool /*quiescent*/) const noexcept override {
    return {};
  }
  QueueAttention attention(std::uint32_t /*index*/) const noexcept override { return {}; }
  Recording sojourn(std::uint32_t /*index*/, std::size_t /*band*/) const override { return {}; }

 private:
  [[noreturn]] static void unused() noexcept {
    invariant_failed(__FILE__, __LINE__, "a generator asked for more than it should need");
  }
  void begin(std::size_t packets) noexcept {
    calls.push_back(packets);
    on_call();
  }
  Verdict answer() noexcept {
    if (script.empty()) return Verdict::kOk;
    const Verdict verdict = script.front();
    script.pop_front();
    return verdict;
  }
  void take(Cpu<Smp>& cpu, Packet* skb) noexcept {
    if (keeps_bytes) bytes.emplace_back(skb->data, skb->data + skb->len);
    // Behind Ethernet, IPv4, UDP and the magic number.
    const std::byte* at = skb->data + 14 + 20 + 8 + 4;
    std::uint32_t sequence = 0;
    for (int i = 0; i < 4; ++i) {
      sequence = sequence << 8U | std::to_integer<std::uint32_t>(at[i]);
    }
    seen.push_back({sequence, skb->len, skb->priority, skb->queue_mapping, skb->timestamp, skb});
    if (holds) {
      held.push_back(skb);
    } else {
      sink_.consume(skb, cpu.id());
    }
  }

  SkbSink<Smp>& sink_;
  std::uint32_t polls_ = 0;
};

}  // namespace qdiscsim::test
