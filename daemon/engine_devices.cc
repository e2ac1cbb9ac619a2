// The engine's devices: each with its link, and what stands behind it.
#include "config/kernel_bug_words.h"
#include "daemon/engine.h"
#include "daemon/net_devices.h"
#include "daemon/translate.h"
#include "qdisc/dummy_link.h"
#include "qdisc/wire_link.h"

namespace qdiscsim {

void Engine::add_device(const config::Device& wanted) {
  const bool dedicated = wanted.drain == config::Drain::kDedicated;
  DeviceEntry& entry =
      devices_.emplace_back(DeviceEntry{wanted.name, dedicated, wanted.drain_cpus, nullptr});
  make_device(wanted, entry);
  entry.watch = std::make_unique<QueueWatch<Smp>>(*entry.device, entry.name, control_.id());
  entry.kernel_bugs = config::kernel_bug_names(wanted.kernel_bugs);
  for (std::uint32_t queue = 0; dedicated && queue < wanted.queues; ++queue) {
    services_.push_back(std::make_unique<ServiceThread>(first_generator_cpu_++));
  }
}

void Engine::make_device(const config::Device& wanted, DeviceEntry& entry) {
  const DeviceOptions options = device_options(wanted, cpus_);
  switch (wanted.link.kind) {
    case config::LinkKind::kDummy:
      entry.device = make_net_device(options, std::make_unique<DummyLink<Smp>>(memory_), memory_);
      return;
    case config::LinkKind::kWire:
      entry.device =
          make_net_device(options,
                          std::make_unique<WireLink<Smp>>(memory_, wanted.link.rate_bits_per_second,
                                                          wanted.link.ring_size, wanted.queues),
                          memory_);
      entry.board = std::make_unique<PaceBoard<Smp>>(cpus_);
      return;
    case config::LinkKind::kVhostNet:
      VhostDevice made =
          make_vhost_device(options, vhost_net_options(wanted.link, first_generator_cpu_), memory_);
      entry.device = std::move(made.device);
      entry.vhost = std::move(made.vhost);
      first_generator_cpu_ += wanted.queues;
      return;
  }
}

}  // namespace qdiscsim
