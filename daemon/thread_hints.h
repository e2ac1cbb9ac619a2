// Asks the scheduler to run the calling thread soon after it wakes. For threads that sleep most of
// the time and must answer while the generators keep every core busy. What the system refuses is
// left as it is.
#pragma once

namespace qdiscsim {

// name: shown by ps and top, at most 15 characters. Asks for short slices and, where the process
// may, for a nice value of -10.
void prefer_latency(const char* name) noexcept;

// The shortest time slice, 0.1 ms: since Linux 6.12 it may preempt a long one on waking. Threads
// that the caller starts from now on inherit it: they call usual_slices().
void short_slices() noexcept;
void usual_slices() noexcept;

}  // namespace qdiscsim
