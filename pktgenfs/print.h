// What reading a device's file prints. Source: linux net/core/pktgen.c, pktgen_if_show().
#pragma once

#include <string>

#include "pktgenfs/device.h"
#include "pktgenfs/settings.h"

namespace qdiscsim::pktgenfs {

struct DeviceView {
  const std::string& name;
  const DeviceSettings& settings;
  const CurrentPacket& current;
  const MacAddress& interface_mac;
  const RunCounters& counters;
  const std::string& result;
};

std::string print_device(const DeviceView& device);

}  // namespace qdiscsim::pktgenfs
