#include "pktgen/generator.h"

#include <algorithm>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

// Copies of one skb have no due time of their own.
std::uint32_t latency_sample_of(const GeneratorSettings& wanted) {
  const bool copies =
      wanted.mode == TransmitMode::kStartXmit && std::max(wanted.clone_skb, wanted.burst) > 1;
  const bool wireless = wanted.mode == TransmitMode::kNetifReceive;
  return wanted.as_pktgen || copies || wireless ? 0 : wanted.latency_sample;
}

}  // namespace

GeneratorProgram::GeneratorProgram(const GeneratorSettings& wanted)
    : settings{wanted},
      traffic{wanted.traffic},
      packet{wanted.traffic.tos, wanted.traffic.udp_checksum, wanted.traffic.frame},
      latency_sample{latency_sample_of(wanted)},
      looks_at_packets{wanted.as_pktgen || wanted.leak.every != 0} {
  settings.burst = std::max(wanted.burst, 1U);
  const bool ends = traffic.replay().active() && !wanted.traffic.replay.loop;
  // Never reached: it makes reached_count() look for the end.
  if (ends && settings.count == 0) settings.count = UINT64_MAX;
  rebuild();
}

void GeneratorProgram::rebuild() noexcept {
  packet.set_tos(traffic.current().tos);
  packet.set_fields(traffic.current());
}

// The product's own instance, compiled once.
template class Generator<smp::Native>;

}  // namespace qdiscsim
