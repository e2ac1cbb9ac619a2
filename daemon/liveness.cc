#include "daemon/liveness.h"

namespace qdiscsim {
namespace {

constexpr double kDuePackets = 10;
constexpr double kLateSeconds = 1;

std::uint64_t moves_of(const GeneratorSnapshot& generator) {
  return generator.offered_packets + generator.sent_packets + generator.errors + generator.waits;
}

}  // namespace

bool Liveness::look(const Snapshot& snapshot) {
  const double seconds = static_cast<double>(snapshot.taken_at - last_at_) / kSecond;
  std::map<std::string, std::uint64_t> moves;
  stuck_.clear();
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    if (!generator.running) continue;
    const std::string name = generator.group + "/" + generator.thread;
    const std::uint64_t now = moves[name] = moves_of(generator);
    const auto before = moves_.find(name);
    // Without a rate it is unlimited, and packets are always due.
    const bool due = generator.keeps_gaps ? generator.behind_seconds > kLateSeconds
                                          : generator.configured_pps <= 0 ||
                                                generator.configured_pps * seconds >= kDuePackets;
    if (before != moves_.end() && before->second == now && due) stuck_ = name;
  }
  moves_ = std::move(moves);
  last_at_ = snapshot.taken_at;
  return stuck_.empty();
}

}  // namespace qdiscsim
