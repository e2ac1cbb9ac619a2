// Links that are set up and down while everything runs.
#include "daemon/engine.h"

namespace qdiscsim {

ReloadOutcome Engine::set_up(const std::string& device, bool up) {
  NetDevice<Smp>& wanted = *entry(device).device;
  if (wanted.up() == up) return {true, {}};
  if (up) {
    wanted.activate();
    return {true, {device + ": down -> up"}};
  }
  const auto grace = [](void* engine) { static_cast<Engine*>(engine)->grace_period(); };
  wanted.deactivate(control_, grace, this);
  return {true, {device + ": up -> down"}};
}

}  // namespace qdiscsim
