// Invariants that are always on. A broken invariant is a bug in qdiscsim, never a user error: the
// process prints what was expected, with both numbers, and aborts. Keep these off the per-packet
// path.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace qdiscsim {

[[noreturn]] inline void invariant_failed(const char* file, int line, const char* what) noexcept {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, what);
  std::abort();
}

[[noreturn]] inline void invariant_failed(const char* file, int line, const char* what,
                                          std::uint64_t left, std::uint64_t right) noexcept {
  std::fprintf(stderr, "%s:%d: invariant broken: %s: %" PRIu64 " against %" PRIu64 "\n", file, line,
               what, left, right);
  std::abort();
}

}  // namespace qdiscsim

#define QDISCSIM_CHECK(condition)                                   \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::qdiscsim::invariant_failed(__FILE__, __LINE__, #condition); \
  } while (false)

// Both operands are converted to uint64_t for the message.
#define QDISCSIM_CHECK_EQ(left, right)                                                   \
  do {                                                                                   \
    const auto left_value_ = static_cast<std::uint64_t>(left);                           \
    const auto right_value_ = static_cast<std::uint64_t>(right);                         \
    if (left_value_ != right_value_) [[unlikely]]                                        \
      ::qdiscsim::invariant_failed(__FILE__, __LINE__, #left " == " #right, left_value_, \
                                   right_value_);                                        \
  } while (false)
