// The mechanism of Device (device.h). Include device.h, not this file.
#pragma once

#include "qdisc/device.h"

namespace qdiscsim {

template <class Smp, class Ring>
Device<Smp, Ring>::Device(const DeviceOptions& options, std::unique_ptr<Link<Smp>> link,
                          SkbSink<Smp>& sink)
    : link_{std::move(link)},
      sink_{sink},
      received_{std::make_unique<ReceiveCounter[]>(options.qdisc.cpus)},
      cpus_{options.qdisc.cpus} {
  for (std::uint32_t i = 0; i < options.queues; ++i) {
    queues_.push_back(std::make_unique<TxQueue<Smp>>(static_cast<std::uint16_t>(i), cpus_,
                                                     options.bql_min, options.bql_max));
    queue_pointers_.push_back(queues_.back().get());
  }
  const std::span<TxQueue<Smp>* const> all{queue_pointers_};
  const std::size_t qdiscs = options.root == RootQdisc::kMq ? options.queues : 1;
  const std::size_t served = options.root == RootQdisc::kMq ? 1 : options.queues;
  for (std::size_t i = 0; i < qdiscs; ++i) {
    qdiscs_.push_back(
        std::make_unique<Qdisc<Smp, Ring>>(options.qdisc, all.subspan(i, served), *link_, sink_));
  }
  for (std::size_t i = 0; i < options.queues; ++i) {
    qdisc_of_queue_.push_back(qdiscs_[qdiscs == 1 ? 0 : i].get());
  }
}

template <class Smp, class Ring>
auto Device<Smp, Ring>::start_xmit(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept
    -> StartXmit {
  TxQueue<Smp>& queue = *queues_[skb->queue_mapping];
  QueueCounters<Smp>& counters = qdisc_of(skb->queue_mapping).counters(cpu.id());
  const bool lockless = link_->lockless_transmit();
  StartXmit result;
  if (!lockless) queue.lock.lock();
  while (result.sent < copies && !queue.stopped_by_driver()) {
    result.last = link_->transmit(cpu, queue, skb, result.sent + 1 < copies);
    if (result.last != Verdict::kOk) break;
    ++result.sent;
  }
  if (!lockless) queue.lock.unlock();
  counters.direct.add(result.consumed());
  // Past BQL's stop: the one way in which a stopped queue transmits.
  if (result.sent != 0 && queue.stopped()) [[unlikely]]
    queue.transmitted(Smp::now());
  return result;
}

template <class Smp, class Ring>
auto Device<Smp, Ring>::receive(Cpu<Smp>& cpu, Packet* skb, std::uint32_t copies) noexcept
    -> Received {
  received_[cpu.id()].packets.add(copies);
  for (std::uint32_t i = 0; i < copies; ++i) sink_.consume(skb, cpu.id());
  return {copies, 0};
}

template <class Smp, class Ring>
bool Device<Smp, Ring>::poll(Cpu<Smp>& cpu, Nanoseconds now) noexcept {
  bool worked = false;
  for (auto& queue : queues_) {
    if (link_->interrupt_at(queue->index()) > now) continue;
    // Whoever holds the lock is feeding the ring or completing already.
    if (!queue->lock.try_lock()) continue;
    const bool woken = link_->complete(cpu, *queue, now);
    queue->lock.unlock();
    worked = true;
    if (woken) qdisc_of(queue->index()).schedule(cpu);
  }
  return worked;
}

template <class Smp, class Ring>
Nanoseconds Device<Smp, Ring>::next_interrupt() const noexcept {
  Nanoseconds earliest = Link<Smp>::kNever;
  for (const auto& queue : queues_) {
    earliest = std::min(earliest, link_->interrupt_at(queue->index()));
  }
  return earliest;
}

template <class Smp, class Ring>
bool Device<Smp, Ring>::drain(Cpu<Smp>& cpu, std::uint16_t queue) noexcept {
  Qdisc<Smp, Ring>& qdisc = qdisc_of(queue);
  qdisc.state().beat();
  // While it is down the rings and lists are the control thread's, which waited for us once.
  if (qdisc.state().deactivated() || !qdisc.has_work()) return false;
  qdisc.try_run(cpu);
  // Blocked: the wake schedules the qdisc; until then there is nothing to do.
  return (qdisc.state().hint() & RunState<Smp>::kDraining) == 0;
}

template <class Smp, class Ring>
void Device<Smp, Ring>::deactivate(Cpu<Smp>& control, GracePeriod grace, void* context) noexcept {
  up_.store(false, smp::relaxed);
  for (auto& queue : queues_) {
    Held guard{queue->lock};
    queue->stop(TxQueue<Smp>::kDeviceOff, Smp::now());
  }
  take_down(control, grace, context);
}

// Nothing waits, so no qdisc is scheduled for the queue that wakes.
template <class Smp, class Ring>
void Device<Smp, Ring>::activate() noexcept {
  up_.store(true, smp::relaxed);
  for (auto& queue : queues_) {
    Held guard{queue->lock};
    static_cast<void>(queue->wake(TxQueue<Smp>::kDeviceOff, Smp::now()));
  }
  bring_up();
}

template <class Smp, class Ring>
void Device<Smp, Ring>::freeze(std::uint16_t queue, Nanoseconds now) noexcept {
  Held guard{queues_[queue]->lock};
  queues_[queue]->stop(TxQueue<Smp>::kFrozen, now);
}

// While it is down the qdisc has nothing to send, and its softirq does nothing.
template <class Smp, class Ring>
void Device<Smp, Ring>::thaw(Cpu<Smp>& cpu, std::uint16_t queue, Nanoseconds now) noexcept {
  bool woken = false;
  {
    Held guard{queues_[queue]->lock};
    woken = queues_[queue]->wake(TxQueue<Smp>::kFrozen, now);
  }
  if (woken) qdisc_of(queue).schedule(cpu);
}

template <class Smp, class Ring>
void Device<Smp, Ring>::take_down(Cpu<Smp>& control, GracePeriod grace, void* context) noexcept {
  const bool too_early = qdiscs_[0]->state().bugs().has(KernelBug::kResetBeforeGrace);
  const auto reset = [&] {
    for (auto& qdisc : qdiscs_) qdisc->reset(control.id());
  };
  for (auto& qdisc : qdiscs_) qdisc->state().deactivate();
  if (too_early) reset();
  grace(context);
  if (!too_early) reset();
  for (auto& qdisc : qdiscs_) {
    typename Smp::Spinner spinner;
    while (!qdisc->state().idle()) spinner.stand_aside();
  }
}

template <class Smp, class Ring>
void Device<Smp, Ring>::bring_up() noexcept {
  for (auto& queue : queues_) queue->transmitted(Smp::now());
  for (auto& qdisc : qdiscs_) qdisc->state().activate();
}

template <class Smp, class Ring>
std::optional<std::uint16_t> Device<Smp, Ring>::watchdog(Nanoseconds now,
                                                         Nanoseconds timeout) noexcept {
  const auto queues = static_cast<std::uint16_t>(queues_.size());
  for (std::uint16_t i = 0; i < queues; ++i) {
    TxQueue<Smp>& queue = *queues_[i];
    if (qdisc_of(i).state().deactivated()) return std::nullopt;
    if (!queue.waits_for_driver() || now <= queue.trans_start() + timeout) continue;
    queue.count_timeout();
    link_->tx_timeout(i);
    return i;
  }
  return std::nullopt;
}

template <class Smp, class Ring>
bool Device<Smp, Ring>::change_tx_queue_len(Cpu<Smp>& control, std::uint32_t limit,
                                            GracePeriod grace, void* context) {
  take_down(control, grace, context);
  bool resized = true;
  for (auto& qdisc : qdiscs_) resized = resized && qdisc->resize(control.id(), limit);
  if (up()) bring_up();
  return resized;
}

template <class Smp, class Ring>
std::uint64_t Device<Smp, Ring>::received() const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) sum += received_[cpu].packets.read();
  return sum;
}

template <class Smp, class Ring>
QueueAccount Device<Smp, Ring>::account(std::uint32_t index, bool quiescent) const noexcept {
  QueueAccount sum = qdiscs_[index]->account(quiescent);
  const std::size_t first = qdiscs_.size() == 1 ? 0 : index;
  const std::size_t last = qdiscs_.size() == 1 ? queues_.size() : first + 1;
  for (std::size_t i = first; i < last; ++i) {
    const auto tx = queues_[i]->totals();
    sum.tx_packets += tx.packets;
    sum.tx_bytes += tx.bytes;
    sum.tx_dropped += tx.dropped;
    sum.posted += link_->posted(queues_[i]->index());
  }
  return sum;
}

}  // namespace qdiscsim
