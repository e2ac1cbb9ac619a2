// How Generator sends one skb several times, and how it sends as the kernel's pktgen does
// (generator.h). Include generator.h, not this file.
#pragma once

#include <algorithm>
#include <cstring>

#include "pktgen/generator.h"

namespace qdiscsim {

// start_xmit and netif_receive: one skb is sent clone_skb or burst times. The generator holds a
// reference of its own until the last copy went.
template <class Smp>
void Generator<Smp>::send_shared() noexcept {
  if (shared_ == nullptr) {
    shared_ = build();
    if (shared_ == nullptr) [[unlikely]] {
      counters_.no_memory.add(1);
      after_send(0, 0);
      return;
    }
    // One time cannot stand for copies that are due one after the other.
    if (!pacer_.unlimited() && std::max(settings().clone_skb, settings().burst) > 1) {
      shared_->timestamp = 0;
    }
    shared_left_ = std::max(settings().clone_skb, settings().burst);
  }
  const std::uint32_t copies = std::min(settings().burst, shared_left_);
  const std::uint32_t bytes = shared_->len;
  const bool last = copies == shared_left_;
  // The last call gives the generator's own reference away with its copies.
  shared_->users.fetch_add(last ? copies - 1 : copies, smp::relaxed);
  const Handed handed = hand_over(shared_, copies);
  if (handed.consumed < copies) {
    const std::uint32_t left = copies - handed.consumed;
    shared_->users.fetch_sub(last ? left - 1 : left, smp::relaxed);
  }
  shared_left_ -= handed.consumed;
  if (last && handed.consumed == copies) shared_ = nullptr;
  count(handed, bytes);
  after_send(handed.sent, handed.consumed - handed.sent);
}

// Past the references: what the device says to `copies` of skb, once.
template <class Smp>
auto Generator<Smp>::hand_over(Packet* skb, std::uint32_t copies) noexcept -> Handed {
  switch (settings().mode) {
    case TransmitMode::kNetifReceive: {
      const auto result = device_.receive(cpu_, skb, copies);
      return {result.delivered, result.delivered, result.dropped};
    }
    case TransmitMode::kStartXmit: {
      const auto result = device_.start_xmit(cpu_, skb, copies);
      const bool ok = result.last == Verdict::kOk;
      if (!result.dropped()) last_ok_ = ok;
      // Busy is no error; any other refusal is, and the copy is tried again all the same.
      return {result.sent, result.consumed(), ok || result.last == Verdict::kBusy ? 0U : 1U};
    }
    case TransmitMode::kQueueXmit:
      break;
  }
  const bool taken = device_.queue_xmit(cpu_, skb) == Verdict::kOk;
  return {taken ? 1U : 0U, 1, taken ? 0U : 1U};
}

template <class Smp>
void Generator<Smp>::count(const Handed& handed, std::uint32_t bytes) noexcept {
  // What was refused is offered again, and counted when it is taken.
  counters_.offered.add(handed.consumed);
  counters_.sent.add(handed.sent);
  counters_.sent_bytes.add(std::uint64_t{handed.sent} * bytes);
  counters_.errors.add(handed.errors);
  sequence_ += handed.sent;  // copies carry the number of the first, as in pktgen
}

template <class Smp>
void Generator<Smp>::release_shared() noexcept {
  if (shared_ == nullptr) return;
  memory_.drop(shared_, cpu_.id());
  shared_ = nullptr;
}

// ---- as the kernel's pktgen: pktgen_xmit() ----

// A packet stands in shared_. False: there is no memory for one.
template <class Smp>
bool Generator<Smp>::prepare_as_pktgen() noexcept {
  const bool may_clone = settings().shared && settings().mode == TransmitMode::kStartXmit;
  const std::uint32_t clones = may_clone ? settings().clone_skb : 0;
  if (shared_ != nullptr && !(last_ok_ && ++clones_ >= clones)) return true;
  release_shared();
  shared_ = build();
  clones_ = 0;
  if (shared_ == nullptr) [[unlikely]] {
    counters_.no_memory.add(1);
    return false;
  }
  if (clones > 1 || settings().burst > 1) shared_->timestamp = 0;
  return true;
}

template <class Smp>
void Generator<Smp>::send_as_pktgen() noexcept {
  if (!prepare_as_pktgen()) {
    after_send(0, 0);
    return;
  }
  const bool keeps = settings().shared;
  const bool bursts = keeps && settings().mode != TransmitMode::kQueueXmit;
  const std::uint32_t copies = bursts ? settings().burst : 1;
  if (keeps) shared_->users.fetch_add(copies, smp::relaxed);
  hand_over_as_pktgen(copies);
  if (reached_count()) wait_for_skb();
}

// Counts what became of `copies` of shared_, and gives back the references that nobody took.
template <class Smp>
void Generator<Smp>::hand_over_as_pktgen(std::uint32_t copies) noexcept {
  Packet* const skb = shared_;
  const bool keeps = settings().shared;
  // Once sent, an skb that pktgen does not keep is not ours.
  const std::uint32_t bytes = skb->len;
  const Handed handed = hand_over(skb, copies);
  if (keeps) {
    if (handed.consumed < copies) skb->users.fetch_sub(copies - handed.consumed, smp::relaxed);
  } else if (handed.consumed != 0) {
    shared_ = nullptr;
  }
  count(handed, bytes);
  // The schedule counts bursts, and a burst that is tried again is none.
  after_send(handed.sent != 0 ? 1 : 0, handed.sent == 0 && handed.consumed != 0 ? 1 : 0);
}

// Until nobody but the generator holds the packet sent last.
template <class Smp>
void Generator<Smp>::wait_for_skb() noexcept {
  if (shared_ == nullptr) return;
  const Nanoseconds from = Smp::now();
  typename Smp::Spinner spinner;
  // smp::acquire: partner is the release of PacketMemory::consume().
  while (shared_->users.load(smp::acquire) != 1 && !stop_.load(GeneratorOrders::glance)) {
    if (needs_poll_) device_.poll(cpu_, Smp::now());
    cpu_.run_softirqs();
    cpu_.quiescence.quiescent(epoch_);
    spinner.pause();
  }
  counters_.idle_ns.add(Smp::now() - from);
}

template <class Smp>
void CurrentValues<Smp>::show(const Traffic& traffic) noexcept {
  const PacketFields& now = traffic.current();
  size.store(now.size, smp::relaxed);
  addresses.store(std::uint64_t{now.source} << 32U | now.destination, smp::relaxed);
  ports.store(
      std::uint64_t{now.queue} << 32U | std::uint64_t{now.udp_source} << 16U | now.udp_destination,
      smp::relaxed);
  flows.store(traffic.flows_begun(), smp::relaxed);
  if (traffic.frame_varies()) show_frame(now.frame);
  if (!traffic.options().imix.empty()) imix[traffic.imix_entry()].add(1);
}

template <class Smp>
void CurrentValues<Smp>::show_frame(const FrameFields& now) noexcept {
  macs.store(std::uint64_t{now.source_mac} << 32U | now.destination_mac, smp::relaxed);
  tags.store(std::uint32_t{now.svlan_id} << 16U | now.vlan_id, smp::relaxed);
  for (std::size_t i = 0; i < mpls.size(); ++i) mpls[i].store(now.mpls[i], smp::relaxed);
  for (std::size_t i = 0; i < destination6.size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, &now.destination6[i * sizeof word], sizeof word);
    destination6[i].store(word, smp::relaxed);
  }
}

template <class Smp>
FrameFields CurrentValues<Smp>::frame() const noexcept {
  FrameFields now;
  now.source_mac = static_cast<std::uint32_t>(macs.load(smp::relaxed) >> 32U);
  now.destination_mac = static_cast<std::uint32_t>(macs.load(smp::relaxed));
  now.vlan_id = static_cast<std::uint16_t>(tags.load(smp::relaxed));
  now.svlan_id = static_cast<std::uint16_t>(tags.load(smp::relaxed) >> 16U);
  for (std::size_t i = 0; i < mpls.size(); ++i) now.mpls[i] = mpls[i].load(smp::relaxed);
  for (std::size_t i = 0; i < destination6.size(); ++i) {
    const std::uint32_t word = destination6[i].load(smp::relaxed);
    std::memcpy(&now.destination6[i * sizeof word], &word, sizeof word);
  }
  return now;
}

template <class Smp>
PacketFields CurrentValues<Smp>::fields() const noexcept {
  PacketFields now;
  now.size = size.load(smp::relaxed);
  const std::uint64_t both = addresses.load(smp::relaxed);
  now.source = static_cast<std::uint32_t>(both >> 32U);
  now.destination = static_cast<std::uint32_t>(both);
  const std::uint64_t rest = ports.load(smp::relaxed);
  now.queue = static_cast<std::uint16_t>(rest >> 32U);
  now.udp_source = static_cast<std::uint16_t>(rest >> 16U);
  now.udp_destination = static_cast<std::uint16_t>(rest);
  now.frame = frame();
  return now;
}

}  // namespace qdiscsim
