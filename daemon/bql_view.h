// What /sys/class/net/DEV/queues/tx-N/ would show of the simulated tx queues: byte queue limits,
// and the watchdog's tx_timeout where one watches.
//
// Source: linux 6.18 net/core/net-sysfs.c. Bytes; hold_time and stall_* in milliseconds, stall_cnt
// a number. Stall detection is off, as the kernel leaves it until someone writes stall_thrs. A
// queue of a wire without `bql` shows what a driver without byte queue limits does: the starting
// values. A device that transmits without the queue's lock (dummy, vhost_net) has no
// byte_queue_limits, as since 74293ea1c4db (6.9).
#pragma once

#include <span>
#include <string>

#include "daemon/snapshot.h"

namespace qdiscsim {

// As `grep . /sys/class/net/*/queues/tx-*/byte_queue_limits/*` prints it: one PATH:VALUE a line.
std::string bql_text(std::span<const DeviceSnapshot> devices);

// [{"dev", "queue": "tx-0", "byte_queue_limits": {...} or null}, ...]; the keys are the file names.
// Besides "tx_timeout" and "since_trans_start_seconds", which sysfs does not show.
std::string bql_json(std::span<const DeviceSnapshot> devices);

}  // namespace qdiscsim
