// Trace: a capture as the generators use it, length, TOS and time of each packet; Replay: one
// thread's way through it. Where a trace comes from is nothing that this room knows.
//
// Threads: a Trace is filled by one thread and then only read, by any number. A Replay belongs to
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "qdisc/priority.h"

namespace qdiscsim {

// 12 bytes: there may be millions.
class TracePacket {
 public:
  TracePacket(Nanoseconds time, std::uint16_t size, std::uint8_t tos) noexcept
      : time_low_{static_cast<std::uint32_t>(time)},
        time_high_{static_cast<std::uint32_t>(time >> 32U)},
        size_{size},
        tos_{tos} {}

  // Since the first packet of the trace.
  Nanoseconds time() const noexcept { return std::uint64_t{time_high_} << 32U | time_low_; }
  std::uint32_t size() const noexcept { return size_; }  // bytes without FCS
  std::uint8_t tos() const noexcept { return tos_; }     // 0 where there is none
  std::uint32_t priority() const noexcept { return priority_of_tos(tos_); }

  bool operator==(const TracePacket&) const = default;

 private:
  std::uint32_t time_low_;
  std::uint32_t time_high_;
  std::uint16_t size_;
  std::uint8_t tos_;
};
static_assert(sizeof(TracePacket) == 12);

class Trace {
 public:
  static constexpr std::size_t kMostPackets = std::size_t{16} << 20U;
  // Beyond this a clock was set, not waited for; and sums of times stay far from 2^64.
  static constexpr Nanoseconds kLongest = 90 * 24 * 3600 * kSecond;
  static constexpr std::uint32_t kLeastSize = 42;
  static constexpr std::uint32_t kMostSize = 3500;  // one page holds one packet

  // A packet `gap` after the one before (of the first packet it does not count). The size is
  // clamped, and so is the time, to kLongest: false then.
  bool add(Nanoseconds gap, std::uint64_t size, std::uint8_t tos);

  // No more will come: gives back what was kept for them.
  void complete() { packets_.shrink_to_fit(); }

  std::size_t size() const noexcept { return packets_.size(); }
  bool empty() const noexcept { return packets_.empty(); }
  const TracePacket& operator[](std::size_t index) const noexcept { return packets_[index]; }

  // From the first packet to the last.
  Nanoseconds duration() const noexcept { return empty() ? 0 : packets_.back().time(); }
  // From the first packet to that of the next lap: the last is followed by a gap of mean length.
  Nanoseconds period() const noexcept;

  bool operator==(const Trace&) const = default;

 private:
  std::vector<TracePacket> packets_;
};

enum class ReplayPace : std::uint8_t {
  kUnlimited,  // as fast as it goes
  kGaps,       // at the capture's times, or faster or slower
  kRate,       // one packet after the other at a rate
};

struct ReplayOptions {
  std::shared_ptr<const Trace> trace;  // null or empty: nothing is replayed
  // The trace is dealt out: of the packets, counted on through all laps, thread i takes number i,
  // i + threads, i + 2 * threads, ...
  std::uint32_t thread = 0;
  std::uint32_t threads = 1;
  bool loop = false;  // else it ends with the last packet
  ReplayPace pace = ReplayPace::kGaps;
  // kGaps: thousandths of the capture's speed, 1 .. 1'000'000; kRate: packets per second of all
  // threads together, 1 .. 10^12.
  std::uint64_t value = 1000;
};

// All times are exact: rounded down to the nanosecond once, whatever the lap.
class Replay {
 public:
  // The trace must outlive it.
  explicit Replay(const ReplayOptions& options) noexcept;

  bool active() const noexcept { return trace_ != nullptr; }
  // Packets have a due time.
  bool timed() const noexcept { return timed_; }
  // Behind the last packet.
  bool ended() const noexcept { return ended_; }

  // The next packet, and when it is due, since the start of the replay. Not when it ended.
  const TracePacket& packet() const noexcept { return (*trace_)[index_]; }
  Nanoseconds due() const noexcept { return due_; }
  void next() noexcept;

  // How many of the next packets, at most `most`, there are; due at `since` the start.
  std::uint64_t left(std::uint64_t most) const noexcept;
  std::uint64_t due_by(Nanoseconds since, std::uint64_t most) const noexcept;

 private:
  // A time that moves on by `scaled / divisor` nanoseconds, without losing the rest.
  struct Sum {
    Nanoseconds whole = 0;
    std::uint64_t rest = 0;
    void add(std::uint64_t scaled, std::uint64_t divisor) noexcept {
      scaled += rest;
      whole += scaled / divisor;
      rest = scaled % divisor;
    }
  };

  void settle() noexcept;

  const Trace* trace_ = nullptr;
  std::size_t index_ = 0;
  std::uint32_t threads_;
  ReplayPace pace_;
  bool loop_;
  bool timed_ = false;
  bool ended_ = false;
  std::uint64_t value_;
  Sum base_;  // kGaps: when this lap began; kRate: when the next packet is due
  Nanoseconds due_ = 0;
};

// Packets per second that one of the threads sends on the whole; 0 = no rate.
double mean_rate(const ReplayOptions& options) noexcept;

}  // namespace qdiscsim
