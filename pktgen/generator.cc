#include "pktgen/generator.h"

#include "base/smp_native.h"

namespace qdiscsim {

GeneratorProgram::GeneratorProgram(const GeneratorSettings& wanted)
    : settings{wanted},
      traffic{wanted.traffic},
      packet{wanted.traffic.tos, wanted.traffic.udp_checksum, wanted.traffic.frame},
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
