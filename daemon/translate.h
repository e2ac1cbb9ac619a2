// From a configuration (config/config.h) to the options of the rooms that do the work.
#pragma once

#include <cstdint>

#include "config/config.h"
#include "daemon/capture.h"
#include "daemon/tap_interface.h"
#include "daemon/vhost_net.h"
#include "pktgen/generator.h"
#include "qdisc/device.h"
#include "ring/ring_choice.h"

namespace qdiscsim {

RingChoice ring_choice(const config::Ring& ring);

// cpus: how many CPU numbers exist.
DeviceOptions device_options(const config::Device& device, std::uint32_t cpus);

// Of a device that has a capture.
CaptureOptions capture_options(const config::Device& device, std::uint32_t cpus);

// first_cpu: CPU number of the first worker.
VhostNetOptions vhost_net_options(const config::Link& link, CpuId first_cpu);

// device.link names interface and namespace.
TapOptions tap_options(const config::Device& device);

// How many kpktgend_<n> files there are: as configured, or one for each usable CPU.
std::uint32_t pktgen_threads(const config::Pktgen& pktgen);

// Settings of thread `thread` of a group on `device`; rates are this thread's share.
GeneratorSettings generator_settings(const config::GeneratorGroup& group,
                                     const config::Device& device, std::uint32_t thread,
                                     std::uint64_t seed);

// Packets per second that thread `thread` is meant to send; 0 = no rate. With mixed sizes and a bit
// rate this is the rate of packets of the smallest size, as in pktgen; with a capture, of the whole
// of it.
double configured_pps(const config::GeneratorGroup& group, std::uint32_t thread);

}  // namespace qdiscsim
