#include "daemon/controlled_engine.h"

#include <spdlog/spdlog.h>

#include "daemon/control_fs.h"
#include "daemon/pktgen_backend.h"
#include "daemon/translate.h"

namespace qdiscsim {

// In this order, and ended in the other: unmounted first, then the jobs.
struct ControlledEngine::Control {
  explicit Control(ControlledEngine& of)
      : backend{of.engine_, pktgen_threads(of.pktgen_)},
        files{backend, of.kernel_, of.seed_},
        mount{files, of.pktgen_.control_fs} {}

  PktgenBackend backend;
  pktgenfs::Files files;
  ControlFs mount;
};

std::unique_ptr<DataPlane> make_data_plane(const config::Config& config) {
  if (config.pktgen.control_fs.empty()) return std::make_unique<Engine>(config);
  return std::make_unique<ControlledEngine>(config);
}

ControlledEngine::ControlledEngine(const config::Config& config)
    : pktgen_{config.pktgen}, kernel_{config.kernel}, seed_{config.seed}, engine_{config} {}

ControlledEngine::~ControlledEngine() {
  stop();
}

// Mounted before a thread runs, since that is what can fail.
void ControlledEngine::start() {
  control_ = std::make_unique<Control>(*this);
  engine_.start();
  control_->mount.start();
  spdlog::info("pktgen control files in {}: {} threads", pktgen_.control_fs,
               control_->backend.threads());
}

void ControlledEngine::stop() {
  control_.reset();
  engine_.stop();
}

}  // namespace qdiscsim
