// The schema's entries of a ring: the word of its kind, or a map with what that kind offers.
#include <array>

#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

using enum Type;

// The order is that of the enumerators in config.h.
constexpr std::array<std::string_view, 4> kRingKinds{"ptr_ring", "mpsc", "lanes", "rte"};
constexpr std::array<std::string_view, 4> kLocks{"test_and_set", "ticket", "mcs", "yielding"};
constexpr std::array<std::string_view, 3> kSyncs{"mt", "rts", "hts"};

template <RingKind Kind>
bool of_kind(const void* ring) {
  return static_cast<const Ring*>(ring)->kind == Kind;
}
bool only_its_kind(const void* ring) {
  const auto& value = *static_cast<const Ring*>(ring);
  return value == Ring{.kind = value.kind};
}

constexpr Key kRing[] = {
    {.name = "kind",
     .type = kChoice,
     .choices = kRingKinds,
     .number = number<&Ring::kind>(),
     .help = "`ptr_ring`: the kernel's, producers behind a lock. `mpsc`: no lock, a "
             "compare-and-swap for each burst. `lanes`: a lane for each producer, order kept for "
             "each of them only. `rte`: DPDK's."},
    {.name = "lock",
     .type = kChoice,
     .choices = kLocks,
     .number = number<&Ring::lock>(),
     .shown = of_kind<RingKind::kPtrRing>,
     .help = "Lock that producers of a ptr_ring take."},
    {.name = "clear",
     .type = kChoice,
     .choices = kRingClears,
     .number = number<&Ring::clear>(),
     .shown = of_kind<RingKind::kPtrRing>,
     .help = "When the consumer of a ptr_ring gives slots back; another one than `zero_batch` "
             "goes with `lock: test_and_set` only."},
    {.name = "sync",
     .type = kChoice,
     .choices = kSyncs,
     .number = number<&Ring::sync>(),
     .shown = of_kind<RingKind::kRte>,
     .help = "How an rte ring keeps its producers apart. `mt` collapses with more threads than "
             "cores."},
};

}  // namespace

std::span<const Key> ring_keys() {
  return kRing;
}

constinit const Key kRingWord{.name = "ring",
                              .type = kChoice,
                              .choices = kRingKinds,
                              .number = number<&Ring::kind>(),
                              .shown = only_its_kind};

}  // namespace qdiscsim::config
