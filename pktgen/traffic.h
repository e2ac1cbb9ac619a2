// Traffic: what the packets of one generator thread look like, one after the other: size, priority,
// addresses, ports, flow, tx queue. One thread owns it; all random choices come from its seed.
// Source: linux net/core/pktgen.c, mod_cur_headers(). Ranges here are inclusive and start at their
// minimum, unless they are asked to be pktgen's own (Walk).
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pktgen/frame.h"
#include "pktgen/trace.h"
#include "pktgen/weighted_choice.h"

namespace qdiscsim {

enum class Step : std::uint8_t { kSequence, kRandom };

// Which values of a range come, and in what order.
enum class Walk : std::uint8_t {
  kWhole,           // min .. max; in sequence: from min
  kPktgen,          // in sequence: from the one behind `before`, max included; random: without max
  kPktgenHalfOpen,  // the same, but never max (UDP ports)
  kPktgenQueue,     // in sequence as kPktgen, random with max; min == max is a sequence too
};

// Values from min to max, one after the other or at random. pktgen's walks (all but kWhole) stay at
// `before` unless min < max.
struct ValueRange {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  Step step = Step::kSequence;
  Walk walk = Walk::kWhole;
  std::uint32_t before = 0;  // pktgen's walks: the current value before the first packet
};

constexpr ValueRange pktgen_range(std::uint32_t min, std::uint32_t max, bool random) noexcept {
  return {min, max, random ? Step::kRandom : Step::kSequence, Walk::kPktgen, min};
}
constexpr ValueRange pktgen_ports(std::uint32_t min, std::uint32_t max, bool random) noexcept {
  return {min, max, random ? Step::kRandom : Step::kSequence, Walk::kPktgenHalfOpen, min};
}
// pktgen's queues count on from the queue used last, at first 0, whatever the minimum.
constexpr ValueRange pktgen_queues(std::uint32_t min, std::uint32_t max, bool random) noexcept {
  return {min, max, random ? Step::kRandom : Step::kSequence, Walk::kPktgenQueue, 0};
}

// What a flow of the flow table keeps, and when the next one comes.
enum class FlowOrder : std::uint8_t {
  kInTurn,          // addresses (MAC too) and ports, for the whole run; the next after flow_length
  kPktgenSequence,  // the destination; after flow_length packets the next, and a new destination
  kPktgenRandom,    // the destination; any flow, a new destination after more than flow_length
};

struct TrafficOptions {
  ValueRange size{60, 60, Step::kSequence};  // bytes without FCS
  std::vector<WeightedChoice::Entry> imix;   // {size, weight}; replaces size when not empty
  std::vector<WeightedChoice::Entry> priority{{0, 1}};  // {skb->priority, weight}
  std::uint8_t tos = 0;
  // IPv4, host byte order; of IPv6 the last four bytes.
  ValueRange source{0xc6120001, 0xc6120001, Step::kSequence};
  ValueRange destination{0xc612002a, 0xc612002a, Step::kSequence};
  ValueRange udp_source{9, 9, Step::kSequence};
  ValueRange udp_destination{9, 9, Step::kSequence};
  FrameOptions frame;
  ValueRange source_mac;  // added to the frame's addresses; pktgen's counts are 0 .. count - 1
  ValueRange destination_mac;
  std::uint32_t flows = 0;        // 0: no flow table; else each flow keeps its destination and port
  std::uint32_t flow_length = 1;  // packets before the next flow
  FlowOrder flow_order = FlowOrder::kInTurn;
  ValueRange queue{0, 0, Step::kSequence};
  ReplayOptions replay;  // with a trace: sizes, priorities and TOS come from there
  bool timestamp = true;
  bool udp_checksum = false;
  std::uint64_t seed = 1;
};

// The fields that differ from packet to packet.
struct PacketFields {
  std::uint32_t size = 60;
  std::uint32_t priority = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint16_t udp_source = 9;
  std::uint16_t udp_destination = 9;
  std::uint16_t queue = 0;
  std::uint8_t tos = 0;  // or the traffic class of IPv6
  FrameFields frame;
};

class Traffic {
 public:
  static constexpr std::uint32_t kImixSlots = 100;
  static constexpr std::size_t kMostImix = 20;

  explicit Traffic(const TrafficOptions& options);

  const TrafficOptions& options() const noexcept { return options_; }
  const PacketFields& current() const noexcept { return fields_; }

  // Entry of the imix that the current size comes from.
  std::size_t imix_entry() const noexcept { return imix_entry_; }
  // Flows with a destination of their own that were begun; pktgen's flow orders only.
  std::uint64_t flows_begun() const noexcept { return flows_begun_; }

  // Whether anything in PacketFields::frame differs from packet to packet.
  bool frame_varies() const noexcept { return frame_varies_; }
  // Of a trace: what comes next, and when the current packet was due, since the start.
  const Replay& replay() const noexcept { return replay_; }
  Nanoseconds due_of_current() const noexcept { return due_of_current_; }

  // Moves to the next packet. True when its size, addresses, ports or tags changed, so that headers
  // must be rebuilt; with a trace always.
  bool advance() noexcept {
    if (all_fixed_) return false;
    return advance_fields();
  }

 private:
  struct Flow {
    std::uint32_t source;
    std::uint32_t destination;
    std::uint16_t udp_source;
    std::uint16_t udp_destination;
    std::uint32_t source_mac;
    std::uint32_t destination_mac;
  };

  // Where one range stands.
  struct Cursor {
    explicit Cursor(const ValueRange& r) noexcept
        : range{r}, next{r.walk == Walk::kWhole ? r.min : r.before} {}
    bool fixed() const noexcept;
    // The value before the first take().
    std::uint32_t first() const noexcept { return next; }
    std::uint32_t take(Prng& prng) noexcept;
    std::uint32_t take_pktgen(Prng& prng) noexcept;

    ValueRange range;
    std::uint32_t next;  // pktgen's walks: the value taken last
  };
  // Of pktgen's flow orders.
  struct PktgenFlow {
    std::uint32_t destination = 0;
    std::uint64_t packets = 0;
    bool begun = false;
  };

  bool advance_fields() noexcept;
  void take_endpoints() noexcept;
  void take_from_trace() noexcept;
  bool next_flow() noexcept;
  std::uint32_t take_destination() noexcept;
  void take_pktgen_flow() noexcept;

  TrafficOptions options_;
  Prng prng_;
  Cursor size_;
  Cursor source_;
  Cursor destination_;
  Cursor udp_source_;
  Cursor udp_destination_;
  Cursor source_mac_;
  Cursor destination_mac_;
  Cursor queue_;
  WeightedChoice priority_;
  std::vector<WeightedChoice> imix_;  // none or one
  Replay replay_;
  Nanoseconds due_of_current_ = 0;
  std::vector<Flow> flows_;
  std::size_t flow_ = 0;
  std::uint32_t flow_sent_ = 0;
  std::vector<PktgenFlow> pktgen_flows_;
  std::uint64_t flows_begun_ = 0;
  std::size_t imix_entry_ = 0;
  bool endpoints_fixed_ = false;
  bool frame_drawn_ = false;  // tags, labels or an IPv6 destination
  bool frame_varies_ = false;
  bool all_fixed_ = false;
  PacketFields fields_;
};

}  // namespace qdiscsim
