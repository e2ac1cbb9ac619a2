#include "pktgenfs/files.h"

#include "pktgenfs/control.h"
#include "pktgenfs/rules.h"

namespace qdiscsim::pktgenfs {

Files::Files(Backend& backend, KernelVersion kernel, std::uint64_t seed)
    : control_{std::make_unique<Control>(backend, rules_of(kernel), seed)} {}

Files::~Files() = default;

std::vector<std::string> Files::names() const {
  return control_->names();
}

std::optional<std::string> Files::read(std::string_view name) const {
  return control_->read(name);
}

long Files::write(std::string_view name, std::string_view text,
                  const std::function<bool()>& interrupted) {
  return control_->write(name, text, interrupted);
}

}  // namespace qdiscsim::pktgenfs
