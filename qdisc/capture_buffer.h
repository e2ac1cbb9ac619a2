// CaptureBuffer: from the CPUs that transmit to the one writer of a capture: copies of packets, and
// the count of those for which there was no room.
//
//   free records of each CPU (SPSC ring) -> claim, copy -> publish -> one ring of all CPUs (MPSC)
//        ^                                                                   |
//        +-------------------- give_back <- the writer <- take <-------------+
//
// A CPU whose records are all with the writer misses the packet and counts it: the data path never
// waits, allocates or locks here. Records come out in the order of their publication, so those of
// one tx queue stay in the order in which they left it.
//
// Threads. claim, publish, miss: the CPU with that number. wanted, missed: any. take, give_back,
// close: one writer. There are as many records as the rings have room for, so no ring is ever full.
// Memory: `records` x (64 + capacity) bytes for each CPU, touched when first used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "base/cacheline.h"
#include "base/counter.h"
#include "qdisc/priority.h"
#include "qdisc/skb.h"
#include "ring/mpsc_ring.h"
#include "ring/rte_ring.h"

namespace qdiscsim {

// A packet as it left. Its bytes follow the record.
struct alignas(kCacheLine) CaptureRecord {
  Nanoseconds time = 0;  // Smp::now() when it was handed to the link
  CpuId cpu = 0;
  std::uint32_t length = 0;    // bytes on the wire, without FCS
  std::uint32_t captured = 0;  // bytes that follow, the first of these
  std::uint16_t queue = 0;
  std::uint8_t band = 0;  // of its priority, whether it went through the band or past it

  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  std::span<const std::byte> content() const noexcept {
    return {reinterpret_cast<const std::byte*>(this + 1), captured};
  }
};

struct CaptureBufferOptions {
  std::uint32_t cpus = 1;
  std::uint32_t queues = 1;
  std::uint32_t snaplen = 3'584;  // bytes of a packet that are copied, at least 16
  std::uint32_t records = 1'024;  // of each CPU, at least 1
};

template <class Smp>
class CaptureBuffer {
 public:
  // Throws std::bad_alloc.
  explicit CaptureBuffer(const CaptureBufferOptions& options)
      : snaplen_{options.snaplen},
        lines_{1 + (options.snaplen + kCacheLine - 1) / kCacheLine},
        memory_{std::make_unique_for_overwrite<Line[]>(lines_ * options.cpus * options.records)},
        filled_{std::size_t{options.cpus} * options.records + kUnseen} {
    Line* record = memory_.get();
    for (std::uint32_t cpu = 0; cpu < options.cpus; ++cpu) {
      lanes_.push_back(std::make_unique<Lane>(options.records, options.queues));
      for (std::uint32_t i = 0; i < options.records; ++i, record += lines_) {
        lanes_.back()->free.enqueue(record);
      }
    }
  }

  // ---- data path ----

  // False once the capture is over: only a hint, which a CPU may see late.
  bool wanted() const noexcept { return wanted_.load(smp::relaxed); }

  // A record for `skb`, copied; null when the CPU has none left. It stays the CPU's, and the next
  // claim() gives the same one, until it is published.
  CaptureRecord* claim(CpuId cpu, const Skb<Smp>& skb, std::uint16_t queue,
                       Nanoseconds now) noexcept {
    void* const place = lanes_[cpu]->free.front();
    if (place == nullptr) return nullptr;
    auto* record = new (place) CaptureRecord;
    record->time = now;
    record->cpu = cpu;
    record->queue = queue;
    record->band = static_cast<std::uint8_t>(band_of(skb.priority));
    copy(skb, *record);
    return record;
  }
  void publish(CaptureRecord* record) noexcept {
    lanes_[record->cpu]->free.dequeue();
    filled_.produce(record);
  }
  void miss(CpuId cpu, std::uint16_t queue) noexcept { lanes_[cpu]->missed[queue].add(1); }

  // ---- the writer ----

  // Up to out.size() records, oldest first. Returns how many.
  std::size_t take(std::span<CaptureRecord*> out) noexcept {
    return filled_.consume_batched_unlocked(out);
  }
  void give_back(CaptureRecord* record) noexcept { lanes_[record->cpu]->free.enqueue(record); }
  // The capture is over.
  void close() noexcept { wanted_.store(false, smp::relaxed); }

  // ---- any thread ----

  std::uint64_t missed(std::uint16_t queue) const noexcept {
    std::uint64_t sum = 0;
    for (const auto& lane : lanes_) sum += lane->missed[queue].read();
    return sum;
  }

 private:
  // Free places that an MpscRing may not have shown to its producers yet.
  static constexpr std::size_t kUnseen = 64;
  static constexpr std::uint32_t kAddresses = 12;  // bytes before a VLAN tag
  static constexpr std::uint32_t kTag = 4;

  struct alignas(kCacheLine) Line {
    std::byte bytes[kCacheLine];
  };
  static_assert(sizeof(CaptureRecord) == sizeof(Line));

  struct Lane {
    Lane(std::uint32_t records, std::uint32_t queues)
        : free{records, {.exact = true}}, missed{std::make_unique<Counter<Smp>[]>(queues)} {}

    RteRing<Smp, SingleThread, SingleThread> free;  // writer -> CPU
    std::unique_ptr<Counter<Smp>[]> missed;         // by tx queue
  };

  // With the tag in its place, if the skb carries one beside its bytes.
  void copy(const Skb<Smp>& skb, CaptureRecord& record) const noexcept {
    std::byte* to = record.bytes();
    if (skb.vlan_tag == 0) [[likely]] {
      record.length = skb.len;
      record.captured = std::min(skb.len, snaplen_);
      std::memcpy(to, skb.data, record.captured);
      return;
    }
    record.length = skb.len + kTag;
    record.captured = std::min(record.length, snaplen_);
    std::memcpy(to, skb.data, kAddresses);
    for (std::uint32_t i = 0; i < kTag; ++i) {
      to[kAddresses + i] = static_cast<std::byte>(skb.vlan_tag >> (24 - 8 * i));
    }
    std::memcpy(to + kAddresses + kTag, skb.data + kAddresses, record.captured - kAddresses - kTag);
  }

  alignas(kCacheLine) typename Smp::template atomic<bool> wanted_{true};
  std::uint32_t snaplen_;
  std::size_t lines_;  // of a record with its bytes
  std::unique_ptr<Line[]> memory_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // by CPU
  MpscRing<Smp> filled_;
};

}  // namespace qdiscsim
