// The engine's devices: each with its link, and what stands behind it.
#include <cerrno>
#include <cstring>

#include "config/kernel_bug_words.h"
#include "daemon/engine.h"
#include "daemon/net_devices.h"
#include "daemon/tap_interface.h"
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
  entry.stalls = std::make_unique<QueueStalls<Smp>>(*entry.device);
  entry.kernel_bugs = config::kernel_bug_names(wanted.kernel_bugs);
  for (std::uint32_t queue = 0; dedicated && queue < wanted.queues; ++queue) {
    services_.push_back(std::make_unique<ServiceThread>(first_generator_cpu_++));
  }
}

void Engine::make_device(const config::Device& wanted, DeviceEntry& entry) {
  const DeviceOptions options = device_options(wanted, cpus_);
  CaptureBuffer<Smp>* capture = nullptr;
  if (!wanted.capture.file.empty()) {
    entry.capture = std::make_unique<Capture>(capture_options(wanted, cpus_));
    capture = &entry.capture->buffer();
  }
  switch (wanted.link.kind) {
    case config::LinkKind::kDummy:
      entry.device =
          make_net_device(options, std::make_unique<DummyLink<Smp>>(memory_), memory_, capture);
      return;
    case config::LinkKind::kWire:
      entry.device =
          make_net_device(options,
                          std::make_unique<WireLink<Smp>>(memory_, wanted.link.rate_bits_per_second,
                                                          wanted.link.ring_size, wanted.queues),
                          memory_, capture);
      entry.board = std::make_unique<PaceBoard<Smp>>(cpus_);
      return;
    case config::LinkKind::kVhostNet: {
      VhostDevice made = make_vhost_device(
          options, vhost_net_options(wanted.link, first_generator_cpu_), memory_, capture);
      entry.device = std::move(made.device);
      entry.vhost = std::move(made.vhost);
      first_generator_cpu_ += wanted.queues;
      return;
    }
    case config::LinkKind::kTap:
      make_tap(wanted, entry, capture);
      return;
  }
}

void Engine::make_tap(const config::Device& wanted, DeviceEntry& entry,
                      CaptureBuffer<Smp>* capture) {
  const config::Link& link = wanted.link;
  std::shared_ptr<const NetNamespace> space;
  for (const DeviceEntry& other : devices_) {
    if (other.tap != nullptr && other.tap->space->name() == link.netns) space = other.tap->space;
  }
  if (space == nullptr) space = std::make_shared<const NetNamespace>(wanted.name, link.netns);
  auto made = std::make_unique<TapLink<Smp>>(
      memory_, std::make_unique<TapInterface>(tap_options(wanted), space));
  entry.tap = std::make_unique<Tap>(Tap{made.get(), std::move(space), link.interface});
  entry.device = make_net_device(device_options(wanted, cpus_), std::move(made), memory_, capture);
}

// Once for each device: what refused one packet mostly refuses all that follow.
std::string Engine::new_trouble(const std::string& device, Tap& tap) {
  const int error = tap.link->first_error();
  if (error == 0 || tap.told) return {};
  tap.told = true;
  return "device " + device + ": interface " + tap.interface + " in namespace " +
         tap.space->name() + " has not taken a packet: " + std::strerror(error) +
         "; such packets count in qdiscsim_device_tx_dropped_packets_total" +
         (error == EIO
              ? "; set it up: ip -n " + tap.space->name() + " link set " + tap.interface + " up"
              : "");
}

}  // namespace qdiscsim
