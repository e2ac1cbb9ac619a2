// The final report: where every packet and every page went, as text for people and for the ear:
// short titles, numbers to the right, the law of accounts in words.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

// One equation of the law of accounts with its numbers:
//   offered = bypassed + enqueued + dropped   for each queue
//   enqueued = dequeued + backlog             for each band
//   hold = release + in flight                for each page_pool
struct AccountLine {
  std::string where;     // "eth0 queue 0 band 1"
  std::string equation;  // "enqueued 701 = dequeued 601 + backlog 100"
  bool exact = false;
};

// Holds at a quiescent snapshot; while threads run the lines may be off by packets in motion.
std::vector<AccountLine> account_lines(const Snapshot& snapshot);

// Pages that are still out at a quiescent point, a line for each pool that misses some: what the
// kernel would say of it once a minute from now on, and what keeps them if that is known.
std::vector<std::string> pages_out(const Snapshot& snapshot);

struct Report {
  std::string text;    // ends with a line feed
  bool exact = false;  // every account line is exact, and no earlier check failed
};

// elapsed: from start to the end of the drain.
Report make_report(const Snapshot& snapshot, Nanoseconds elapsed);

}  // namespace qdiscsim
