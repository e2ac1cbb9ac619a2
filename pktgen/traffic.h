// Traffic: what the packets of one generator thread look like, one after the other: size, priority,
// addresses, ports, flow, tx queue. One thread owns it; all random choices come from its seed.
// Source: linux net/core/pktgen.c, mod_cur_headers(); ranges here are inclusive and start at their
// minimum.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pktgen/weighted_choice.h"

namespace qdiscsim {

enum class Step : std::uint8_t { kSequence, kRandom };

// Values from min to max inclusive, one after the other or at random.
struct ValueRange {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  Step step = Step::kSequence;
};

struct TrafficOptions {
  ValueRange size{60, 60, Step::kSequence};  // bytes without FCS
  std::vector<WeightedChoice::Entry> imix;   // {size, weight}; replaces size when not empty
  std::vector<WeightedChoice::Entry> priority{{0, 1}};  // {skb->priority, weight}
  std::uint8_t tos = 0;
  ValueRange source{0xc6120001, 0xc6120001, Step::kSequence};  // IPv4, host byte order
  ValueRange destination{0xc612002a, 0xc612002a, Step::kSequence};
  ValueRange udp_source{9, 9, Step::kSequence};
  ValueRange udp_destination{9, 9, Step::kSequence};
  std::uint32_t flows = 0;        // 0: no flow table; else each flow keeps its destination and port
  std::uint32_t flow_length = 1;  // packets before the next flow
  ValueRange queue{0, 0, Step::kSequence};
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
};

class Traffic {
 public:
  static constexpr std::uint32_t kImixSlots = 100;

  explicit Traffic(const TrafficOptions& options);

  const TrafficOptions& options() const noexcept { return options_; }
  const PacketFields& current() const noexcept { return fields_; }

  // Moves to the next packet. True when its size, addresses or ports changed, so that headers must
  // be rebuilt.
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
  };

  // Where one range stands.
  struct Cursor {
    explicit Cursor(const ValueRange& r) noexcept : range{r}, next{r.min} {}
    bool fixed() const noexcept { return range.min == range.max; }
    std::uint32_t take(Prng& prng) noexcept;

    ValueRange range;
    std::uint32_t next;
  };

  bool advance_fields() noexcept;
  void take_endpoints() noexcept;
  bool next_flow() noexcept;

  TrafficOptions options_;
  Prng prng_;
  Cursor size_;
  Cursor source_;
  Cursor destination_;
  Cursor udp_source_;
  Cursor udp_destination_;
  Cursor queue_;
  WeightedChoice priority_;
  std::vector<WeightedChoice> imix_;  // none or one
  std::vector<Flow> flows_;
  std::size_t flow_ = 0;
  std::uint32_t flow_sent_ = 0;
  bool endpoints_fixed_ = false;
  bool all_fixed_ = false;
  PacketFields fields_;
};

}  // namespace qdiscsim
