// The rules of one device.
#pragma once

#include <string>

#include "config/rules.h"

namespace qdiscsim::config {

// rules: with the device's prefix.
void check_device(const Rules& rules, const Device& device);

// Of the ring under `key`, of a device's bands or a page_pool.
void check_ring(const Rules& rules, const std::string& key, const Ring& ring);

}  // namespace qdiscsim::config
