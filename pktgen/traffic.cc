#include "pktgen/traffic.h"

namespace qdiscsim {

namespace {

// Destinations that pktgen does not draw: loopback, multicast, this network, broadcast.
bool is_special(std::uint32_t address) noexcept {
  const std::uint32_t first = address >> 24U;
  return first == 0 || first == 127 || (first & 0xf0U) == 0xe0U || address == 0xffffffffU;
}

}  // namespace

bool Traffic::Cursor::fixed() const noexcept {
  switch (range.walk) {
    case Walk::kWhole:
      return range.min == range.max;
    case Walk::kPktgenQueue:
      return range.min > range.max || (range.min == range.max && range.before == range.min);
    case Walk::kPktgen:
    case Walk::kPktgenHalfOpen:
      break;
  }
  return range.min >= range.max;
}

std::uint32_t Traffic::Cursor::take_pktgen(Prng& prng) noexcept {
  if (fixed()) return next;
  const bool half_open = range.walk == Walk::kPktgenHalfOpen;
  if (range.step == Step::kRandom) {
    const std::uint32_t last = range.walk == Walk::kPktgenQueue ? range.max : range.max - 1;
    return next = prng.between(range.min, last);
  }
  // Past the end, also where the current value began behind it or its type ended.
  const std::uint64_t value = std::uint64_t{next} + 1;
  const bool past = half_open ? value >= range.max : value > range.max;
  return next = past ? range.min : static_cast<std::uint32_t>(value);
}

std::uint32_t Traffic::Cursor::take(Prng& prng) noexcept {
  if (range.walk != Walk::kWhole) return take_pktgen(prng);
  if (range.step == Step::kRandom) return prng.between(range.min, range.max);
  const std::uint32_t value = next;
  next = value == range.max ? range.min : value + 1;
  return value;
}

Traffic::Traffic(const TrafficOptions& options)
    : options_{options},
      prng_{options.seed},
      size_{options.size},
      source_{options.source},
      destination_{options.destination},
      udp_source_{options.udp_source},
      udp_destination_{options.udp_destination},
      source_mac_{options.source_mac},
      destination_mac_{options.destination_mac},
      queue_{options.queue},
      priority_{options.priority},
      replay_{options_.replay} {
  if (!options.imix.empty()) imix_.emplace_back(options.imix, kImixSlots);
  const bool macs_fixed = source_mac_.fixed() && destination_mac_.fixed();
  endpoints_fixed_ = source_.fixed() && destination_.fixed() && udp_source_.fixed() &&
                     udp_destination_.fixed() && macs_fixed;
  frame_drawn_ = options.frame.draws();
  frame_varies_ = frame_drawn_ || !macs_fixed;
  if (options.flow_order != FlowOrder::kInTurn) {
    pktgen_flows_.resize(options.flows);
  } else if (!endpoints_fixed_) {
    for (std::uint32_t i = 0; i < options.flows; ++i) {
      take_endpoints();
      flows_.push_back({fields_.source, fields_.destination, fields_.udp_source,
                        fields_.udp_destination, fields_.frame.source_mac,
                        fields_.frame.destination_mac});
    }
  }
  all_fixed_ = endpoints_fixed_ && !frame_drawn_ && pktgen_flows_.empty() && size_.fixed() &&
               imix_.empty() && priority_.fixed() && queue_.fixed() && !replay_.active();
  fields_.frame = FrameFields::first_of(options.frame);
  fields_.frame.source_mac = source_mac_.first();
  fields_.frame.destination_mac = destination_mac_.first();
  fields_.source = source_.first();
  fields_.destination = destination_.first();
  fields_.udp_source = static_cast<std::uint16_t>(udp_source_.first());
  fields_.udp_destination = static_cast<std::uint16_t>(udp_destination_.first());
  fields_.size = size_.first();
  fields_.priority = priority_.first();
  fields_.queue = static_cast<std::uint16_t>(queue_.first());
  fields_.tos = options.frame.ipv6 ? options.frame.traffic_class : options.tos;
  if (!flows_.empty()) flow_ = flows_.size() - 1;  // the first advance() starts flow 0
  flow_sent_ = options.flow_length;
}

void Traffic::take_from_trace() noexcept {
  if (replay_.ended()) return;
  const TracePacket& packet = replay_.packet();
  fields_.size = packet.size();
  fields_.priority = packet.priority();
  fields_.tos = packet.tos();
  due_of_current_ = replay_.due();
  replay_.next();
}

void Traffic::take_endpoints() noexcept {
  fields_.source = source_.take(prng_);
  if (pktgen_flows_.empty()) {
    fields_.destination = take_destination();
  } else {
    take_pktgen_flow();
  }
  fields_.udp_source = static_cast<std::uint16_t>(udp_source_.take(prng_));
  fields_.udp_destination = static_cast<std::uint16_t>(udp_destination_.take(prng_));
  fields_.frame.source_mac = source_mac_.take(prng_);
  fields_.frame.destination_mac = destination_mac_.take(prng_);
}

std::uint32_t Traffic::take_destination() noexcept {
  std::uint32_t address = destination_.take(prng_);
  if (destination_.range.walk == Walk::kPktgen && destination_.range.step == Step::kRandom) {
    // Unlike pktgen, a range of nothing else does not hang.
    for (int tries = 0; is_special(address) && tries < 1000; ++tries) {
      address = destination_.take(prng_);
    }
  }
  return address;
}

// Packets are counted behind the choice, as in pktgen: a sequence stays flow_length packets with a
// flow, a random choice lets a flow have one more.
void Traffic::take_pktgen_flow() noexcept {
  PktgenFlow* flow = &pktgen_flows_[flow_];
  if (options_.flow_order == FlowOrder::kPktgenSequence) {
    if (flow->packets >= options_.flow_length) {
      *flow = {};
      flow_ = flow_ + 1 == pktgen_flows_.size() ? 0 : flow_ + 1;
      flow = &pktgen_flows_[flow_];
    }
  } else {
    flow_ = prng_.below(static_cast<std::uint32_t>(pktgen_flows_.size()));
    flow = &pktgen_flows_[flow_];
    if (flow->packets > options_.flow_length) *flow = {};
  }
  if (!flow->begun) {
    flow->begun = true;
    flow->destination = take_destination();
    ++flows_begun_;
  }
  ++flow->packets;
  fields_.destination = flow->destination;
}

bool Traffic::next_flow() noexcept {
  if (flow_sent_++ < options_.flow_length) return false;
  flow_sent_ = 1;
  flow_ = flow_ + 1 == flows_.size() ? 0 : flow_ + 1;
  const Flow& flow = flows_[flow_];
  fields_.source = flow.source;
  fields_.destination = flow.destination;
  fields_.udp_source = flow.udp_source;
  fields_.udp_destination = flow.udp_destination;
  fields_.frame.source_mac = flow.source_mac;
  fields_.frame.destination_mac = flow.destination_mac;
  return true;
}

bool Traffic::advance_fields() noexcept {
  const std::uint32_t size_before = fields_.size;
  if (replay_.active()) {
    take_from_trace();
  } else if (imix_.empty()) {
    fields_.size = size_.take(prng_);
  } else {
    imix_entry_ = imix_.front().draw_index(prng_);
    fields_.size = imix_.front().value(imix_entry_);
  }
  if (!priority_.fixed() && !replay_.active()) fields_.priority = priority_.draw(prng_);
  fields_.queue = static_cast<std::uint16_t>(queue_.take(prng_));
  bool changed = fields_.size != size_before || replay_.active();
  if (!flows_.empty()) {
    changed = next_flow() || changed;
  } else if (!endpoints_fixed_ || !pktgen_flows_.empty()) {
    take_endpoints();
    changed = true;
  }
  if (!frame_drawn_) return changed;
  fields_.frame.draw(options_.frame, fields_.destination, prng_);
  return true;
}

}  // namespace qdiscsim
