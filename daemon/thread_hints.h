// Asks the scheduler to run the calling thread soon after it wakes. For threads that sleep most of
// the time and must answer while the generators keep every core busy.
#pragma once

namespace qdiscsim {

// name: shown by ps and top, at most 15 characters. Asks for the shortest time slice (Linux 6.12:
// a short slice may preempt a long one on waking) and, where the process may, for a nice value of
// -10. What the system refuses is left as it is.
void prefer_latency(const char* name) noexcept;

}  // namespace qdiscsim
