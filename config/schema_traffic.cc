// The schema's entries of traffic that comes from a capture; the owner is CapturedTraffic.
#include <cstdint>

#include "config/schema_parts.h"
#include "config/speed.h"

namespace qdiscsim::config {
namespace {

using enum Type;
using enum Reload;

constexpr Key kTraffic[] = {
    {.name = "pcap",
     .type = kFile,
     .reload = kLive,
     .min = 1,
     .max = 1'000,
     .text = member<&CapturedTraffic::pcap>,
     .unset = "none",
     .help =
         "A capture, pcap or pcapng, whose packets give the lengths, the TOS with the priority, "
         "and the gaps (traffic.md). A relative path counts from the configuration's folder. "
         "Excludes `delay`, `rate`, `ratep`, `packet_size`, `priority`, `tos` and "
         "`traffic_class`."},
    {.name = "speed",
     .type = kSpeed,
     .reload = kLive,
     .number = {[](const void* owner) {
                  return number_of(static_cast<const CapturedTraffic*>(owner)->speed);
                },
                [](void* owner, std::uint64_t value) {
                  static_cast<CapturedTraffic*>(owner)->speed = speed_of(value);
                }},
     .help = "`1x` keeps the gaps, `2x` halves them, `max` has none; a packet rate, of all threads "
             "together, spaces the packets evenly."},
    {.name = "loop",
     .type = kBool,
     .reload = kLive,
     .number = number<&CapturedTraffic::loop>(),
     .help = "Whether the capture starts again behind its last packet, after a gap of mean length; "
             "else the generator is done there."},
};

}  // namespace

std::span<const Key> traffic_keys() {
  return kTraffic;
}

}  // namespace qdiscsim::config
