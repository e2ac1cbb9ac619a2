#include "daemon/thread_hints.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

namespace qdiscsim {
namespace {

constexpr std::uint64_t kShortestSliceNs = 100'000;
constexpr std::int32_t kNice = -10;

// sched_setattr(2)'s argument, first version. The C library of Debian 12 has neither the struct nor
// the call, and the kernel's own header does not go together with <sched.h>.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // SCHED_OTHER: the time slice
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

bool set_attributes(std::int32_t nice, std::uint64_t slice_ns) noexcept {
  Attributes attributes;
  attributes.nice = nice;
  attributes.runtime = slice_ns;
  return syscall(SYS_sched_setattr, 0, &attributes, 0U) == 0;
}

// Nothing when somebody chose another scheduler for this thread.
std::optional<std::int32_t> nice_now() noexcept {
  Attributes now;
  if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0U) != 0) return std::nullopt;
  if (now.policy != SCHED_OTHER) return std::nullopt;
  return now.nice;
}

}  // namespace

void prefer_latency(const char* name) noexcept {
  pthread_setname_np(pthread_self(), name);
  const auto nice = nice_now();
  if (nice && *nice > kNice && set_attributes(kNice, kShortestSliceNs)) return;
  short_slices();
}

void short_slices() noexcept {
  if (const auto nice = nice_now()) set_attributes(*nice, kShortestSliceNs);
}

void usual_slices() noexcept {
  if (const auto nice = nice_now()) set_attributes(*nice, 0);
}

}  // namespace qdiscsim
