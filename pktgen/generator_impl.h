// The mechanism of Generator (generator.h). Include generator.h, not this file.
#pragma once

#include <algorithm>

#include "pktgen/generator.h"

namespace qdiscsim {

template <class Smp>
void Generator<Smp>::mark_start(Nanoseconds now) noexcept {
  counters_.started_at.store(now, smp::relaxed);
  counters_.stopped_at.store(0, smp::relaxed);
  counters_.sent_before.store(counters_.sent.read(), smp::relaxed);
  counters_.bytes_before.store(counters_.sent_bytes.read(), smp::relaxed);
  counters_.errors_before.store(counters_.errors.read(), smp::relaxed);
  counters_.idle_before.store(counters_.idle_ns.read(), smp::relaxed);
  const Replay& replay = program_->traffic.replay();
  counters_.mixed_sizes.store(!settings().traffic.imix.empty() || replay.active(), smp::relaxed);
  counters_.holds_skb.store(true, smp::relaxed);
  if (settings().as_pktgen) {
    sequence_ = 1;
    last_ok_ = true;
  }
  counters_.running.store(true, smp::relaxed);
  pacer_.restart(settings().period, now);
  if (replay.timed()) {
    replay_start_ = settings().starts_at != 0 ? settings().starts_at : now;
    pacer_.follow(replay_start_ + replay.due());
  }
  counters_.due.store(pacer_.unlimited() ? 0 : pacer_.due(), smp::relaxed);
}

template <class Smp>
void Generator<Smp>::mark_stop() noexcept {
  if (!counters_.running.load(smp::relaxed)) return;
  counters_.holds_skb.store(!settings().as_pktgen || shared_ != nullptr, smp::relaxed);
  release_shared();
  counters_.stopped_at.store(Smp::now(), GeneratorOrders::end);
  counters_.due.store(0, smp::relaxed);
  counters_.running.store(false, smp::relaxed);
}

template <class Smp>
void Generator<Smp>::start() noexcept {
  cpu_.quiescence.go_online(epoch_);
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  const Nanoseconds now = Smp::now();
  wall_offset_ = static_cast<Nanoseconds>(wall.tv_sec) * kSecond +
                 static_cast<Nanoseconds>(wall.tv_nsec) - now;
  mark_start(now);
}

template <class Smp>
void Generator<Smp>::finish() noexcept {
  mark_stop();
  run_all_softirqs();
  cpu_.quiescence.go_offline();
}

template <class Smp>
void Generator<Smp>::run() noexcept {
  start();
  while (!stop_.load(GeneratorOrders::notice)) {
    if (pending_.load(GeneratorOrders::glance) != nullptr) [[unlikely]]
      take_program();
    if (reached_count()) [[unlikely]] {
      mark_stop();
      nap(kNap);
      continue;
    }
    if (!step()) wait_until(pacer_.due());
  }
  finish();
}

template <class Smp>
bool Generator<Smp>::step() noexcept {
  cpu_.quiescence.quiescent(epoch_);
  if (!pacer_.unlimited()) {
    const Nanoseconds now = Smp::now();
    const Nanoseconds due = pacer_.due();
    if (now < due) return false;
    if (now - due > counters_.most_behind.load(smp::relaxed)) {
      counters_.most_behind.store(now - due, smp::relaxed);
    }
  }
  if (board_ != nullptr && ++steps_ % kStepsPerLook == 0) keep_in_step();
  if (settings().as_pktgen) [[unlikely]] {
    send_as_pktgen();
  } else if (settings().mode != TransmitMode::kQueueXmit) {
    send_shared();
  } else if (settings().enqueue_burst > 1) {
    send_list();
  } else {
    send_one();
  }
  if (needs_poll_) device_.poll(cpu_, Smp::now());
  cpu_.run_softirqs();
  return true;
}

// Waits while the slowest schedule of this wire is too far behind. With a schedule one's position
// is the due time; without, it is how far the wire's time has come, which the packets in the
// driver's ring may have taken ahead of now.
template <class Smp>
void Generator<Smp>::keep_in_step() noexcept {
  typename Smp::Spinner spinner;
  const Nanoseconds since = Smp::now();
  while (!stop_.load(GeneratorOrders::glance) &&
         pending_.load(GeneratorOrders::glance) == nullptr) {
    const Nanoseconds now = Smp::now();
    const Nanoseconds position =
        pacer_.unlimited() ? std::min(device_.link().busy_until(), now) : pacer_.due();
    if (!board_->must_wait(position, now)) return;
    counters_.waits.add(1);
    device_.poll(cpu_, now);
    cpu_.run_softirqs();
    cpu_.quiescence.quiescent(epoch_);
    // A short wait spins, to follow closely; in a long one the late thread may need this core.
    if (now - since < PaceBoard<Smp>::kWindow) {
      spinner.pause();
    } else {
      spinner.stand_aside();
    }
  }
}

template <class Smp>
auto Generator<Smp>::build() noexcept -> Packet* {
  Page<Smp>* page = pool_.alloc();
  if (page == nullptr) [[unlikely]]
    return nullptr;
  Packet* skb = memory_.skb_of(page);
  if (program_->traffic.advance()) {
    program_->rebuild();
    if (program_->traffic.replay().timed()) {
      pacer_.follow(replay_start_ + program_->traffic.due_of_current());
    }
  }
  const PacketFields& fields = program_->traffic.current();
  // A packet of a schedule is there from its due time on; without a schedule there is always one,
  // as far as a wire is concerned, since the run began. So a late host loses no line rate.
  const Nanoseconds due = pacer_.due();
  Nanoseconds wall = 0;
  if (settings().traffic.timestamp) wall = (pacer_.unlimited() ? Smp::now() : due) + wall_offset_;
  program_->packet.write(skb->data, skb->written, sequence_, wall);
  counters_.last_size.store(fields.size, smp::relaxed);
  if (program_->looks_at_packets) [[unlikely]]
    built(skb);
  if (sampler_.tick()) [[unlikely]]
    consider_timing(skb);
  skb->timestamp = due;
  skb->len = program_->packet.length();
  skb->priority = fields.priority;
  skb->queue_mapping = fields.queue;
  return skb;
}

template <class Smp>
void Generator<Smp>::consider_timing(Packet* skb) noexcept {
  if (!sampler_.take(program_->latency_sample)) return;
  memory_.time(skb, pacer_.unlimited() ? Smp::now() : pacer_.due(), latency_);
}

template <class Smp>
void Generator<Smp>::built(Packet* skb) noexcept {
  if (settings().as_pktgen) counters_.current.show(program_->traffic);
  if (settings().leak.every != 0) {
    keeper_.see(static_cast<Page<Smp>*>(skb->owner), settings().leak);
  }
}

template <class Smp>
void Generator<Smp>::after_send(std::uint64_t accepted, std::uint64_t lost) noexcept {
  if (!pacer_.unlimited()) {
    if (program_->traffic.replay().timed()) [[unlikely]] {
      if (accepted + lost != 0) follow_trace();
    } else {
      pacer_.advance(accepted + lost);
    }
    counters_.due.store(pacer_.due(), smp::relaxed);
  }
  if (accepted != 0) {
    losses_ = 0;
  } else {
    counters_.waits.add(1);
    if (++losses_ % kLossesPerYield == 0) [[unlikely]]
      Smp::yield();
  }
}

template <class Smp>
void Generator<Smp>::send_one() noexcept {
  Packet* skb = build();
  if (skb == nullptr) [[unlikely]] {
    counters_.no_memory.add(1);
    after_send(0, 0);
    return;
  }
  const std::uint32_t bytes = skb->len;  // once sent, the skb is not ours
  counters_.offered.add(1);
  if (device_.queue_xmit(cpu_, skb) == Verdict::kOk) [[likely]] {
    counters_.sent.add(1);
    counters_.sent_bytes.add(bytes);
    ++sequence_;
    after_send(1, 0);
  } else {
    counters_.errors.add(1);
    after_send(0, 1);
  }
}

template <class Smp>
void Generator<Smp>::send_list() noexcept {
  std::array<Packet*, kMaxList> list;
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  const std::uint64_t wanted = list_length();
  while (count < wanted) {
    Packet* skb = build();
    if (skb == nullptr) break;
    ++sequence_;
    bytes += skb->len;
    list[count++] = skb;
    // One list goes to one queue.
    if (skb->queue_mapping != list[0]->queue_mapping) skb->queue_mapping = list[0]->queue_mapping;
  }
  if (count == 0) {
    counters_.no_memory.add(1);
    after_send(0, 0);
    return;
  }
  counters_.offered.add(count);
  const std::size_t accepted = device_.queue_xmit_list(cpu_, {list.data(), count});
  counters_.sent.add(accepted);
  counters_.sent_bytes.add(accepted == count ? bytes : bytes * accepted / count);
  counters_.errors.add(count - accepted);
  after_send(accepted, count - accepted);
}

template <class Smp>
void Generator<Smp>::take_program() noexcept {
  // Before the program is taken: done() must not show the end of the run before.
  counters_.stopped_at.store(0, smp::relaxed);
  GeneratorProgram* program = pending_.exchange(nullptr, GeneratorOrders::handover);
  if (program == nullptr) return;
  release_shared();
  GeneratorProgram* old = program_;
  program_ = program;
  old->next = retired_.load(GeneratorOrders::glance);
  while (!retired_.compare_exchange(old->next, old, GeneratorOrders::request,
                                    GeneratorOrders::glance)) {
  }
  mark_start(Smp::now());
}

template <class Smp>
void Generator<Smp>::collect(GeneratorProgram* one, GeneratorProgram* another) noexcept {
  delete one;
  delete another;
  GeneratorProgram* retired = retired_.exchange(nullptr, GeneratorOrders::notice);
  while (retired != nullptr) {
    GeneratorProgram* const next = retired->next;
    delete retired;
    retired = next;
  }
}

template <class Smp>
void Generator<Smp>::wait_until(Nanoseconds due) noexcept {
  const Nanoseconds from = Smp::now();
  if (due > from) {
    const Nanoseconds left = due - from;
    if (left > kSpinBelow) {
      nap(std::min(left - kSpinBelow / 2, kNap));
    } else {
      typename Smp::Spinner spinner;
      while (Smp::now() < due && !stop_.load(GeneratorOrders::glance)) {
        spinner.pause();
        if (needs_poll_ && device_.poll(cpu_, Smp::now())) cpu_.run_softirqs();
        cpu_.quiescence.quiescent(epoch_);
      }
    }
    counters_.idle_ns.add(Smp::now() - from);
  }
}

// A softirq may reschedule itself until the control thread, which waits for a grace period, is
// done.
template <class Smp>
void Generator<Smp>::run_all_softirqs() noexcept {
  while (cpu_.softirq_pending()) {
    cpu_.run_softirqs();
    cpu_.quiescence.quiescent(epoch_);
  }
}

// Sleeps outside every section: the control thread need not wait for it.
template <class Smp>
void Generator<Smp>::nap(Nanoseconds ns) noexcept {
  run_all_softirqs();
  cpu_.quiescence.go_offline();
  Smp::sleep(ns);
  cpu_.quiescence.go_online(epoch_);
}

template <class Smp>
RunResult Generator<Smp>::result() const noexcept {
  const GeneratorCounters<Smp>& c = counters_;
  const Nanoseconds started = c.started_at.load(smp::relaxed);
  const Nanoseconds stopped = c.stopped_at.load(smp::relaxed);
  const Nanoseconds until = stopped != 0 ? stopped : Smp::now();
  RunResult result;
  result.elapsed = started != 0 && until > started ? until - started : 0;
  result.idle = std::min(c.idle_ns.read() - c.idle_before.load(smp::relaxed), result.elapsed);
  result.sofar = c.sent.read() - c.sent_before.load(smp::relaxed);
  result.bytes = c.sent_bytes.read() - c.bytes_before.load(smp::relaxed);
  result.size = c.last_size.load(smp::relaxed);
  result.errors = c.errors.read() - c.errors_before.load(smp::relaxed);
  result.frags = c.holds_skb.load(smp::relaxed) ? 0 : -1;
  result.mixed_sizes = c.mixed_sizes.load(smp::relaxed);
  return result;
}

}  // namespace qdiscsim
