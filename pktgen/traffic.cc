#include "pktgen/traffic.h"

namespace qdiscsim {

std::uint32_t Traffic::Cursor::take(Prng& prng) noexcept {
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
      queue_{options.queue},
      priority_{options.priority} {
  if (!options.imix.empty()) imix_.emplace_back(options.imix, kImixSlots);
  endpoints_fixed_ =
      source_.fixed() && destination_.fixed() && udp_source_.fixed() && udp_destination_.fixed();
  if (!endpoints_fixed_) {
    for (std::uint32_t i = 0; i < options.flows; ++i) {
      take_endpoints();
      flows_.push_back(
          {fields_.source, fields_.destination, fields_.udp_source, fields_.udp_destination});
    }
  }
  all_fixed_ =
      endpoints_fixed_ && size_.fixed() && imix_.empty() && priority_.fixed() && queue_.fixed();
  fields_.source = options.source.min;
  fields_.destination = options.destination.min;
  fields_.udp_source = static_cast<std::uint16_t>(options.udp_source.min);
  fields_.udp_destination = static_cast<std::uint16_t>(options.udp_destination.min);
  fields_.size = options.size.min;
  fields_.priority = priority_.first();
  fields_.queue = static_cast<std::uint16_t>(options.queue.min);
  if (!flows_.empty()) flow_ = flows_.size() - 1;  // the first advance() starts flow 0
  flow_sent_ = options.flow_length;
}

void Traffic::take_endpoints() noexcept {
  fields_.source = source_.take(prng_);
  fields_.destination = destination_.take(prng_);
  fields_.udp_source = static_cast<std::uint16_t>(udp_source_.take(prng_));
  fields_.udp_destination = static_cast<std::uint16_t>(udp_destination_.take(prng_));
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
  return true;
}

bool Traffic::advance_fields() noexcept {
  const std::uint32_t size_before = fields_.size;
  fields_.size = imix_.empty() ? size_.take(prng_) : imix_.front().draw(prng_);
  if (!priority_.fixed()) fields_.priority = priority_.draw(prng_);
  fields_.queue = static_cast<std::uint16_t>(queue_.take(prng_));
  const bool resized = fields_.size != size_before;
  if (endpoints_fixed_) return resized;
  if (!flows_.empty()) return next_flow() || resized;
  take_endpoints();
  return true;
}

}  // namespace qdiscsim
