// The law of accounts across rooms, at a quiescent point. Within a queue: qdisc/accounts.h.
//
//   packets offered by all generators of a device = offered to its qdiscs + direct + received
//   packets and bytes sent on a vhost_net link = received by the guest, none of them wrong
//   hold - release of every pool = its cache + its ring + pages out
//   pages out = packets that wait somewhere + other pages that generators[].leak keeps
//   arena = free + held by pools
#pragma once

#include <string>
#include <vector>

#include "daemon/snapshot.h"

namespace qdiscsim {

// One sentence for each broken equation, with both numbers. Empty: the law holds.
std::vector<std::string> broken_totals(const Snapshot& snapshot);

}  // namespace qdiscsim
