// From a device's settings to those of a generator, at the start of a run.
// Source: linux net/core/pktgen.c, pktgen_setup_inject(), mod_cur_headers(), pktgen_finalize_skb().
#pragma once

#include <cstdint>

#include "pktgenfs/backend.h"
#include "pktgenfs/rules.h"
#include "pktgenfs/settings.h"

namespace qdiscsim::pktgenfs {

// What a start changes in the settings themselves: an unset size gets its value, queues that the
// interface does not have are cut.
void settle(DeviceSettings& settings, const Interface& interface);

// The values that a run begins with. What was set last of the IPv6 addresses stays, and the queue,
// which is taken up where the last run left it.
void begin_run(CurrentPacket& current, const DeviceSettings& settings, const Interface& interface);

// Of settled settings, from the current values that the run begins with. A packet longer than a
// simulated page (kMaxPacketBytes) is sent with that length. thread: number of the pktgen thread,
// which is its CPU.
GeneratorSettings generator_settings(const DeviceSettings& settings, const CurrentPacket& current,
                                     const Interface& interface, const Rules& rules,
                                     std::uint32_t thread, std::uint64_t seed);

// The values of the packet that `run` built last. Random ids and labels become the settings' own,
// as in pktgen.
void take_over(const PacketFields& packet, const TrafficOptions& run, CurrentPacket& current,
               DeviceSettings& settings);

// Page fragments of a packet of `size` bytes, as the kernel would spread it.
std::int32_t frags_of(const DeviceSettings& settings, std::uint32_t size);

}  // namespace qdiscsim::pktgenfs
