// QueueStalls: tx queues of a device that are frozen for a while, on purpose: the consumer stalls.
// Packets are taken in until the bands are full; nothing leaves but what the driver has posted.
//
// A stall begins on the control thread and ends on whichever thread looks after the time, which
// also gets the qdisc to run: nothing stays behind. A second stall of a queue prolongs the first,
// and never shortens it.
//
// Threads: begin(), end_all() from one; look() from one, another or the same; readings from any.
// The device outlives it.
#pragma once

#include <algorithm>
#include <memory>

#include "qdisc/device.h"

namespace qdiscsim {

template <class Smp>
class QueueStalls {
 public:
  struct Reading {
    std::uint64_t begun = 0;  // stalls, each prolongation counted
    Nanoseconds total = 0;    // time stalled so far, the running stall included
    Nanoseconds running = 0;  // how long the queue has been stalled; 0 = it is not
  };

  explicit QueueStalls(NetDevice<Smp>& device)
      : device_{device}, queues_{std::make_unique<Queue[]>(device.queue_count())} {}

  void begin(std::uint16_t index, Nanoseconds now, Nanoseconds duration) noexcept {
    Queue& queue = queues_[index];
    Held guard{lock_};
    queue.begun.add(1);
    queue.until = std::max(queue.until, now + duration);
    if (queue.since.load(smp::relaxed) != 0) return;
    queue.since.store(now, smp::relaxed);
    active_.store(active_.load(smp::relaxed) + 1, smp::relaxed);
    device_.freeze(index, now);
  }

  // The next look() ends them all.
  void end_all() noexcept {
    Held guard{lock_};
    for (std::uint32_t i = 0; i < device_.queue_count(); ++i) queues_[i].until = 0;
  }

  // Thaws what is due. The caller runs its softirqs, in which the qdiscs then are.
  void look(Cpu<Smp>& cpu, Nanoseconds now) noexcept {
    if (!any()) return;
    Held guard{lock_};
    for (std::uint32_t i = 0; i < device_.queue_count(); ++i) {
      Queue& queue = queues_[i];
      const Nanoseconds since = queue.since.load(smp::relaxed);
      if (since == 0 || now < queue.until) continue;
      queue.ended.add(now - std::min(now, since));
      queue.since.store(0, smp::relaxed);
      active_.store(active_.load(smp::relaxed) - 1, smp::relaxed);
      device_.thaw(cpu, static_cast<std::uint16_t>(i), now);
    }
  }

  // Whether a queue is stalled.
  bool any() const noexcept { return active_.load(smp::relaxed) != 0; }

  Reading read(std::uint16_t index, Nanoseconds now) const noexcept {
    const Queue& queue = queues_[index];
    const Nanoseconds since = queue.since.load(smp::relaxed);
    const Nanoseconds running = since != 0 && now > since ? now - since : 0;
    return {queue.begun.read(), queue.ended.read() + running, running};
  }

 private:
  struct Queue {
    typename Smp::template atomic<Nanoseconds> since{};  // 0: not stalled
    Nanoseconds until = 0;                               // lock held
    Counter<Smp> begun;
    Counter<Smp> ended;  // nanoseconds of the stalls that are over
  };

  NetDevice<Smp>& device_;
  std::unique_ptr<Queue[]> queues_;
  TestAndSetLock<Smp> lock_;
  typename Smp::template atomic<std::uint32_t> active_{};  // queues that are stalled
};

}  // namespace qdiscsim
