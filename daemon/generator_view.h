// The generators, one by one: as JSON, and with the Result that the kernel's pktgen shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/snapshot.h"

namespace qdiscsim {

// An array of objects: group, thread, device, cpu (to which the thread is bound; null: several,
// any, or it has not run), running, offered_packets, sent_packets, sent_bytes, errors, no_memory,
// behind_seconds, behind_seconds_max, configured_pps (null without a rate), result (the kernel's
// two lines; null while it has not run).
nlohmann::ordered_json generators_as_json(const Snapshot& snapshot);

// {"generators": [...]}
std::string generators_json(const Snapshot& snapshot);

// For each "GROUP/THREAD on DEVICE" and below it the end of what its file in /proc/net/pktgen
// would print: "Result: ...", or "Result: Idle" while it has not run.
std::string generators_text(const Snapshot& snapshot);

}  // namespace qdiscsim
