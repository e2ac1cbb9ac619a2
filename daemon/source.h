// What the watching half of the daemon (metrics, page, progress line, report) needs from the
// working half (the engine). Tests hand in a fake.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config.h"
#include "daemon/snapshot.h"

namespace qdiscsim {

// The machine lacks something that the configuration names, as a directory: one line that names the
// thing and the way out. Ends the daemon as a mistake in the configuration does.
struct UnusableConfiguration : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SnapshotSource {
 public:
  SnapshotSource() = default;
  SnapshotSource(const SnapshotSource&) = delete;
  SnapshotSource& operator=(const SnapshotSource&) = delete;
  virtual ~SnapshotSource() = default;

  // Any thread, at any time between construction and destruction.
  virtual Snapshot snapshot() const = 0;
};

// Why a change was refused.
enum class Refusal : std::uint8_t {
  kConflict,  // it does not fit the present state: it needs a restart, say
  kWrong,     // a key or a value that would be wrong at any time
};

// What a reload or another change came to. A refused one has changed nothing.
struct ReloadOutcome {
  bool applied = false;
  std::vector<std::string> messages;     // one line each: what changed, or why nothing did
  Refusal refusal = Refusal::kConflict;  // when it was not applied
};

// The running data plane as the service drives it. Everything but snapshot() and finished() is for
// the control thread only.
class DataPlane : public SnapshotSource {
 public:
  virtual void start() = 0;
  virtual ReloadOutcome reload(const config::Config& config) = 0;
  // `ip link set DEVICE up` or `down`, of a device that there is; again changes nothing. A device
  // stays down, whatever else changes, until it is set up.
  virtual ReloadOutcome set_up(const std::string& device, bool up) = 0;
  // Freezes tx queue `queue`, that there is, for so long (qdisc/queue_stalls.h). Not of a device
  // that is down.
  virtual ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                              std::chrono::milliseconds time) = 0;
  // Drains and joins; afterwards the snapshot is quiescent. A second call does nothing.
  virtual void stop() = 0;
  // Looks whether something stands still that should not, and tries again to end the page_pools
  // that wait for pages (once a second each); call it more often than that. What to log: a line
  // each, mostly none. Not after stop().
  virtual std::vector<std::string> watch() = 0;
  // Every generator has reached its count or the end of its capture. False when one has none.
  virtual bool finished() const = 0;
};

}  // namespace qdiscsim
