// What /sys/class/net/DEV/queues/tx-N/ would show of the simulated tx queues: byte queue limits,
// and the watchdog's tx_timeout.
//
// Source: linux 6.18 net/core/net-sysfs.c. Bytes; hold_time and stall_* in milliseconds, stall_cnt
// a number. Stall detection is off, as the kernel leaves it until someone writes stall_thrs. A
// queue of a wire without `bql` shows what a driver without byte queue limits does: the starting
// values. A device that transmits without the queue's lock (dummy, vhost_net, tap) has no
// byte_queue_limits, as since 74293ea1c4db (6.9).
#pragma once

#include <span>
#include <string>

#include "daemon/snapshot.h"

namespace qdiscsim {

// As `grep . FILES` prints these files: one PATH:VALUE a line.
std::string bql_text(std::span<const DeviceSnapshot> devices);

// [{"dev", "queue": "tx-0", "byte_queue_limits": {...} or null, "tx_timeout"}, ...]; the keys are
// the file names. "since_trans_start_seconds" stands beside them; sysfs does not show it.
std::string bql_json(std::span<const DeviceSnapshot> devices);

}  // namespace qdiscsim
