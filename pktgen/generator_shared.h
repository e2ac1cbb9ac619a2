// How Generator sends one skb several times, and how it sends as the kernel's pktgen does
// (generator.h). Include generator.h, not this file.
#pragma once

#include <algorithm>

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
    shared_left_ = std::max({settings().clone_skb, settings().burst, 1U});
  }
  const std::uint32_t copies = std::min(std::max(settings().burst, 1U), shared_left_);
  const std::uint32_t bytes = shared_->len;
  const bool last = copies == shared_left_;
  // The last call gives the generator's own reference away with its copies.
  shared_->users.fetch_add(last ? copies - 1 : copies, smp::relaxed);
  std::uint32_t sent = 0;
  std::uint32_t consumed = 0;
  std::uint32_t errors = 0;
  if (settings().mode == TransmitMode::kNetifReceive) {
    const auto result = device_.receive(cpu_, shared_, copies);
    sent = consumed = result.delivered;
    errors = result.dropped;
  } else {
    const auto result = device_.start_xmit(cpu_, shared_, copies);
    sent = result.sent;
    consumed = result.consumed();
    // Busy is no error; any other refusal is, and the copy is tried again all the same.
    errors = result.last == Verdict::kOk || result.last == Verdict::kBusy ? 0 : 1;
  }
  if (consumed < copies)
    shared_->users.fetch_sub(last ? copies - consumed - 1 : copies - consumed, smp::relaxed);
  shared_left_ -= consumed;
  sequence_ += sent;  // copies carry the number of the first, as in pktgen
  if (last && consumed == copies) shared_ = nullptr;
  // What was refused is offered again, and counted when it is taken.
  counters_.offered.add(consumed);
  counters_.sent.add(sent);
  counters_.sent_bytes.add(std::uint64_t{sent} * bytes);
  counters_.errors.add(errors);
  after_send(sent, consumed - sent);
}

template <class Smp>
void Generator<Smp>::release_shared() noexcept {
  if (shared_ == nullptr) return;
  memory_.consume(shared_, cpu_.id());
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
  const std::uint32_t copies = bursts ? std::max(settings().burst, 1U) : 1;
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
  std::uint32_t sent = 0;
  std::uint32_t consumed = 0;
  std::uint32_t errors = 0;
  switch (settings().mode) {
    case TransmitMode::kQueueXmit:
      consumed = 1;
      sent = device_.queue_xmit(cpu_, skb) == Verdict::kOk ? 1 : 0;
      errors = 1 - sent;
      break;
    case TransmitMode::kNetifReceive: {
      const auto result = device_.receive(cpu_, skb, copies);
      sent = consumed = result.delivered;
      errors = result.dropped;
      break;
    }
    case TransmitMode::kStartXmit: {
      const auto result = device_.start_xmit(cpu_, skb, copies);
      sent = result.sent;
      consumed = result.consumed();
      if (result.last == Verdict::kOk) {
        last_ok_ = true;
      } else if (!result.dropped()) {
        last_ok_ = false;
        errors = result.last == Verdict::kBusy ? 0 : 1;
      } else {
        errors = 1;
      }
      break;
    }
  }
  if (keeps) {
    if (consumed < copies) skb->users.fetch_sub(copies - consumed, smp::relaxed);
  } else if (consumed != 0) {
    shared_ = nullptr;
  }
  counters_.offered.add(consumed);
  counters_.sent.add(sent);
  counters_.sent_bytes.add(std::uint64_t{sent} * bytes);
  counters_.errors.add(errors);
  sequence_ += sent;
  // The schedule counts bursts, and a burst that is tried again is none.
  after_send(sent != 0 ? 1 : 0, sent == 0 && consumed != 0 ? 1 : 0);
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
  if (!traffic.options().imix.empty()) imix[traffic.imix_entry()].add(1);
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
  return now;
}

}  // namespace qdiscsim
