// The kernel's Result line of one pktgen run.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace qdiscsim {

struct RunResult {
  Nanoseconds elapsed = 0;
  Nanoseconds idle = 0;     // part of elapsed
  std::uint64_t sofar = 0;  // packets sent
  std::uint64_t bytes = 0;
  std::uint32_t size = 0;  // bytes of the last packet
  std::uint64_t errors = 0;
  std::int32_t frags = 0;    // of the skb that is still held; -1 = none is
  bool mixed_sizes = false;  // then the bit rate comes from bytes, as pktgen does for IMIX
};

// "OK: <us>(c<us>+d<us>) usec, <sofar> (<size>byte,<frags>frags)", a newline, two blanks, and
// "<pps>pps <Mb>Mb/sec (<bps>bps) errors: <errors>". Integer division throughout, as in the kernel.
std::string format_result(const RunResult& result);

}  // namespace qdiscsim
