// Reads a capture file (pcap or pcapng, of either byte order, with micro- or nanoseconds) through
// libpcap into a Trace. Throws nothing but std::bad_alloc; any thread. A file that is too long is
// given up where the bound is passed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pktgen/trace.h"

namespace qdiscsim {

struct PcapFile {
  std::shared_ptr<const Trace> trace;  // null exactly when there is an error
  std::string error;                   // "PATH: what is wrong; the way out"

  std::string link;                 // libpcap's words for the link type
  std::uint64_t short_packets = 0;  // shorter than a generator's shortest, sent with its length
  std::uint64_t long_packets = 0;   // longer than Trace::kMostSize, sent with that
  std::uint64_t steps_back = 0;     // times earlier than the packet before
  std::uint64_t cut_packets = 0;    // too little captured to see their TOS
  std::uint64_t beyond = 0;         // number of the first packet behind Trace::kLongest; 0 = none
};

// progress: bytes read so far and in all, told now and then.
PcapFile read_pcap(const std::string& path, std::uint64_t most_packets = Trace::kMostPackets,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

// What to know of a capture that was read, a line each: the first one what it is, the others what a
// generator does not send as it stands there.
std::vector<std::string> describe(const std::string& path, const PcapFile& capture);

}  // namespace qdiscsim
