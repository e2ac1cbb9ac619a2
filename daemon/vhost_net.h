// VhostNet: what stands behind a device whose link is `vhost_net`: for each tx queue tun's ring, a
// vhost worker on a thread of its own, a vring and a guest.
//
//   pktgen -> [pfifo_fast] -> tun's ptr_ring -> vhost worker -> vring -> guest
//
// What left the qdisc = sent to the guest (tx_packets) + dropped (tun's ring was full: tx_dropped)
// + posted (in tun's ring or in the worker's hands). At rest, sent = received by the guest.
//
// Threads: start(), stop() and discard_rest() from the control thread, in this order and each once;
// read() from any. Senders rest when stop() is called. Errors: std::bad_alloc, std::system_error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/smp_native.h"
#include "daemon/snapshot.h"
#include "qdisc/capture_buffer.h"
#include "qdisc/device.h"
#include "ring/ring_choice.h"

namespace qdiscsim {

struct VhostNetOptions {
  std::size_t tun_ring = 500;  // packets, each queue
  RingClear clear = RingClear::kZeroBatch;
  std::size_t batch = 64;     // packets that a worker takes from tun's ring at once, 1 .. 64
  std::size_t vring = 256;    // buffers, a power of two up to 32768
  bool guest_thread = false;  // else the guest runs on its worker's thread
  bool busy_poll = false;     // workers and guests stay awake while idle
  CpuId first_cpu = 0;        // CPU number of the first worker; the others follow
};

class VhostNet {
 public:
  using Smp = smp::Native;

  VhostNet() = default;
  VhostNet(const VhostNet&) = delete;
  VhostNet& operator=(const VhostNet&) = delete;
  virtual ~VhostNet() = default;

  // device: names the threads.
  virtual void start(const std::string& device) = 0;
  // What is in tun's ring or in a worker's hands stays there, and is accounted for as posted.
  virtual void stop() = 0;
  // Drops what stayed: the pages go home.
  virtual void discard_rest() noexcept = 0;

  virtual VhostSnapshot read(std::uint16_t queue) const = 0;
};

// The device ends after what stands behind it.
struct VhostDevice {
  std::unique_ptr<NetDevice<smp::Native>> device;
  std::unique_ptr<VhostNet> vhost;
};

// capture: as in make_net_device (daemon/net_devices.h).
VhostDevice make_vhost_device(const DeviceOptions& options, const VhostNetOptions& vhost,
                              SkbSink<smp::Native>& sink, CaptureBuffer<smp::Native>* capture);

}  // namespace qdiscsim
