// VhostWorker: vhost_net's receive path. Moves packets from a tun queue's ring into the guest's
// buffers, one copy each, and tells the guest.
//
//   each packet   look at the length of the next one; take a buffer of the vring; take the packet;
//                 copy it behind a virtio-net header; give the buffer back; signal if wanted
//
// batch 1 takes packets one by one, as vhost_net before 2017: it locks the ring to look and again
// to take. Larger batches (64 in Linux) take as many as there are at once and keep them in hand.
// It sleeps on its work list when the ring is empty, or when the guest has no buffer; then packets
// in hand stay there.
//
// Threads: run() on the worker's own thread, with its own CPU number; stop() from any; the counters
// from any. Errors: broken() after the guest broke the ring's rules: the worker has then ended.
// Source of the behaviour: linux drivers/vhost/net.c, handle_rx() of 4.12; no mergeable buffers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/counter.h"
#include "qdisc/skb.h"
#include "qdisc/tx_queue.h"
#include "ring/notifier.h"
#include "ring/vring_host.h"

namespace qdiscsim {

struct VhostWorkerOptions {
  std::uint16_t queue = 0;  // of the tun device
  std::size_t batch = 64;   // packets taken at once, 1..kMaxBatch
  bool busy_poll = false;   // awake while idle: a sleeper needs some 100 us to wake
};

template <class Smp>
struct alignas(kCacheLine) VhostWorkerCounters {
  Counter<Smp> packets;    // that the guest has or had
  Counter<Smp> truncated;  // larger than their buffer: discarded
  Counter<Smp> signals;
  Counter<Smp> no_buffer;  // times that it slept for want of a buffer
  Counter<Smp> no_packet;  // times that it slept for want of a packet
};

// Link: a TunLink. Host: a VringHost, attached, whose guest gives buffers to write to.
template <class Smp, class Link, class Host>
class VhostWorker {
 public:
  static constexpr std::size_t kMaxBatch = 64;
  // After this many packets other work has its turn, a stop for instance.
  static constexpr std::size_t kWeight = 256;
  // struct virtio_net_hdr_v1, all zero: no offload.
  static constexpr std::size_t kHeader = 12;

  // call: signals the guest. All outlive the worker.
  VhostWorker(Link& link, TxQueue<Smp>& tx_queue, Host& host, EventCounter<Smp>& call, CpuId cpu,
              const VhostWorkerOptions& options)
      : link_{link},
        tx_queue_{tx_queue},
        host_{host},
        call_{call},
        cpu_{cpu},
        queue_{options.queue},
        batch_{std::clamp<std::size_t>(options.batch, 1, kMaxBatch)},
        busy_poll_{options.busy_poll} {
    link.readable(queue_).attach(packet_waker_);
    kick_.attach(kick_waker_);
  }
  VhostWorker(const VhostWorker&) = delete;
  VhostWorker& operator=(const VhostWorker&) = delete;

  // The guest signals this when the vring asks for a kick.
  EventCounter<Smp>& kick() noexcept { return kick_; }
  // Any thread may queue further work for the worker's thread.
  WorkList<Smp>& work_list() noexcept { return work_; }

  // Until stop(). What is in the ring and in hand then stays there.
  void run() noexcept {
    work_.queue(receive_);
    while (!stopped_) {
      await_work();
      work_.run_all();
    }
  }
  void stop() noexcept { work_.queue(stop_); }

  // One turn of run(): moves what there is, and asks for signals. On the worker's thread.
  void receive() noexcept {
    if (stopped_) return;
    host_.disable_notify();
    for (std::size_t turn = 0; turn < kWeight; ++turn) {
      if (next_length() == 0) {
        if (!link_.doze(queue_)) continue;
        counters_.no_packet.add(1);
        return;
      }
      switch (host_.take(buffer_)) {
        case VringTake::kBuffer:
          deliver(next_packet());
          continue;
        case VringTake::kEmpty:
          if (host_.enable_notify()) {
            host_.disable_notify();
            continue;
          }
          counters_.no_buffer.add(1);
          return;
        case VringTake::kBroken:
          broken_.store(true, smp::relaxed);
          stopped_ = true;
          return;
      }
    }
    work_.queue(receive_);
  }

  // Discards what is in hand and in the ring, as dropped. After the last run().
  void discard_rest() noexcept {
    while (first_ != last_) link_.discard(cpu_, tx_queue_, hand_[first_++]);
    while (Packet* skb = link_.take(queue_)) link_.discard(cpu_, tx_queue_, skb);
  }

  // Packets taken from the ring and not yet delivered. At rest, or on the worker's thread.
  std::size_t in_hand() const noexcept { return last_ - first_; }
  bool broken() const noexcept { return broken_.load(smp::relaxed); }
  const VhostWorkerCounters<Smp>& counters() const noexcept { return counters_; }

 private:
  using Packet = Skb<Smp>;

  class Waker final : public EventCounter<Smp>::Waiter {
   public:
    explicit Waker(VhostWorker& worker) noexcept : worker_{worker} {}
    void wake() noexcept override { worker_.work_.queue(worker_.receive_); }

   private:
    VhostWorker& worker_;
  };
  class Receive final : public WorkList<Smp>::Work {
   public:
    explicit Receive(VhostWorker& worker) noexcept : worker_{worker} {}
    void run() noexcept override { worker_.receive(); }

   private:
    VhostWorker& worker_;
  };
  class Stop final : public WorkList<Smp>::Work {
   public:
    explicit Stop(VhostWorker& worker) noexcept : worker_{worker} {}
    void run() noexcept override { worker_.stopped_ = true; }

   private:
    VhostWorker& worker_;
  };

  void await_work() noexcept {
    if (!busy_poll_) return work_.wait();
    typename Smp::Spinner spinner;
    while (work_.empty()) spinner.pause();
  }

  // 0 when there is no packet.
  std::uint32_t next_length() noexcept {
    if (batch_ == 1) return link_.peek_length(queue_);
    if (first_ == last_) {
      first_ = 0;
      last_ = link_.take(queue_, std::span<Packet*>{hand_.data(), batch_});
      if (last_ == 0) return 0;
    }
    return hand_[first_]->len;
  }
  // After next_length() was not 0.
  Packet* next_packet() noexcept { return batch_ == 1 ? link_.take(queue_) : hand_[first_++]; }

  void deliver(Packet* skb) noexcept {
    static constexpr std::array<std::byte, kHeader> kNoOffload{};
    const std::span<const VringBuffer::Piece> pieces{buffer_.pieces.data() + buffer_.out,
                                                     buffer_.in};
    Copier copier{pieces};
    if (!copier.put(kNoOffload.data(), kHeader) || !copier.put(skb->data, skb->len)) {
      host_.untake(1);
      counters_.truncated.add(1);
      link_.discard(cpu_, tx_queue_, skb);
      return;
    }
    host_.add_used(buffer_.head, static_cast<std::uint32_t>(kHeader + skb->len));
    if (host_.signal_prepare()) {
      counters_.signals.add(1);
      call_.signal();
    }
    counters_.packets.add(1);
    link_.done(cpu_, tx_queue_, skb);
  }

  // Fills the pieces of a buffer one after the other.
  class Copier {
   public:
    explicit Copier(std::span<const VringBuffer::Piece> pieces) noexcept : pieces_{pieces} {}

    // False when there is not enough room.
    bool put(const std::byte* from, std::size_t bytes) noexcept {
      while (bytes > 0) {
        if (at_ == pieces_.size()) return false;
        const VringBuffer::Piece& piece = pieces_[at_];
        const std::size_t now = std::min<std::size_t>(bytes, piece.length - offset_);
        std::memcpy(piece.host + offset_, from, now);
        from += now;
        bytes -= now;
        offset_ += now;
        if (offset_ == piece.length) {
          ++at_;
          offset_ = 0;
        }
      }
      return true;
    }

   private:
    std::span<const VringBuffer::Piece> pieces_;
    std::size_t at_ = 0;
    std::size_t offset_ = 0;
  };

  Link& link_;
  TxQueue<Smp>& tx_queue_;
  Host& host_;
  EventCounter<Smp>& call_;
  CpuId cpu_;
  std::uint16_t queue_;
  std::size_t batch_;
  bool busy_poll_;
  std::array<Packet*, kMaxBatch> hand_{};  // taken, in order; first_ is the next
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  VringBuffer buffer_;
  bool stopped_ = false;
  typename Smp::template atomic<bool> broken_{};
  VhostWorkerCounters<Smp> counters_;

  EventCounter<Smp> kick_;
  WorkList<Smp> work_;
  Waker packet_waker_{*this};  // a waiter stands on one list
  Waker kick_waker_{*this};
  Receive receive_{*this};
  Stop stop_{*this};
};

}  // namespace qdiscsim
