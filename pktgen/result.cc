#include "pktgen/result.h"

namespace qdiscsim {
namespace {

// a * b / c without overflow in between.
std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
  if (c == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{a} * b / c);
}

}  // namespace

std::string format_result(const RunResult& result) {
  const std::uint64_t elapsed_us = result.elapsed / kMicrosecond;
  const std::uint64_t idle_us = result.idle / kMicrosecond;
  const std::uint64_t pps = scaled(result.sofar, kSecond, result.elapsed);
  const std::uint64_t bps = result.mixed_sizes ? scaled(result.bytes * 8, kSecond, result.elapsed)
                                               : pps * 8 * result.size;
  const auto text = [](std::uint64_t value) { return std::to_string(value); };
  return "OK: " + text(elapsed_us) + "(c" + text(elapsed_us - idle_us) + "+d" + text(idle_us) +
         ") usec, " + text(result.sofar) + " (" + text(result.size) + "byte," +
         std::to_string(result.frags) + "frags)\n  " + text(pps) + "pps " + text(bps / 1'000'000) +
         "Mb/sec (" + text(bps) + "bps) errors: " + text(result.errors);
}

}  // namespace qdiscsim
