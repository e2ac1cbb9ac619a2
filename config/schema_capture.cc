// The schema's entries of a capture: the file and how much goes into it.
#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

using enum Type;

constexpr Key kCapture[] = {
    {.name = "file",
     .type = kFile,
     .min = 1,
     .max = 1'000,
     .text = member<&Capture::file>,
     .unset = "none",
     .help = "A pcapng file, for tcpdump and Wireshark, of what leaves through the device's link "
             "(captures.md). Written anew at every start."},
    {.name = "limit",
     .type = kSize,
     .min = 16ULL << 10U,
     .max = 1ULL << 40U,
     .number = number<&Capture::limit_bytes>(),
     .help = "The capture ends before the file is larger than this; the device goes on."},
    {.name = "packets",
     .type = kInteger,
     .max = UINT64_MAX,
     .number = number<&Capture::packets>(),
     .help = "The capture ends after so many packets; 0: only `limit` ends it."},
    {.name = "snaplen",
     .type = kInteger,
     .min = 64,
     .max = 3'584,
     .number = number<&Capture::snaplen>(),
     .help =
         "Bytes of each packet that are kept; the default is more than the longest packet has."},
};

}  // namespace

std::span<const Key> capture_keys() {
  return kCapture;
}

}  // namespace qdiscsim::config
