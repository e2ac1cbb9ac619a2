// ControlledEngine: the engine with pktgen's control files mounted beside it (pktgen.control_fs).
// Threads and errors: as DataPlane and Engine; start() also throws UnusableConfiguration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/engine.h"

namespace qdiscsim {

// The data plane of a configuration: with control files if it names a directory for them.
std::unique_ptr<DataPlane> make_data_plane(const config::Config& config);

class ControlledEngine final : public DataPlane {
 public:
  explicit ControlledEngine(const config::Config& config);
  ~ControlledEngine() override;

  void start() override;
  ReloadOutcome reload(const config::Config& config) override { return engine_.reload(config); }
  ReloadOutcome set_up(const std::string& device, bool up) override {
    return engine_.set_up(device, up);
  }
  ReloadOutcome stall(const std::string& device, std::uint16_t queue,
                      std::chrono::milliseconds time) override {
    return engine_.stall(device, queue, time);
  }
  void stop() override;
  std::vector<std::string> watch() override { return engine_.watch(); }
  bool finished() const override { return engine_.finished(); }
  Snapshot snapshot() const override { return engine_.snapshot(); }

 private:
  struct Control;

  // What the files need to know; a change needs a restart.
  const config::Pktgen pktgen_;
  const KernelVersion kernel_;
  const std::uint64_t seed_;
  Engine engine_;
  std::unique_ptr<Control> control_;  // from start() to stop()
};

}  // namespace qdiscsim
