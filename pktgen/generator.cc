#include "pktgen/generator.h"

#include "base/smp_native.h"

namespace qdiscsim {

GeneratorProgram::GeneratorProgram(const GeneratorSettings& wanted, bool link_needs_time)
    : settings{wanted},
      traffic{wanted.traffic},
      packet{wanted.traffic.tos, wanted.traffic.udp_checksum},
      stamped{wanted.traffic.timestamp || link_needs_time || !wanted.period.unlimited()} {
  settings.burst = std::max(wanted.burst, 1U);
  packet.set_fields(traffic.current());
}

// The product's own instance, compiled once.
template class Generator<smp::Native>;

}  // namespace qdiscsim
