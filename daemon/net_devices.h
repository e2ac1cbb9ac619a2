// The devices that the engine can build: one instantiation of Device for each kind of ring, so that
// nothing stands between pfifo_fast and its bands. Variants of a kind (another lock, another
// generation) share one more, over AnyRing.
#pragma once

#include <memory>

#include "base/smp_native.h"
#include "qdisc/capture_buffer.h"
#include "qdisc/device.h"

namespace qdiscsim {

// By options.qdisc.ring. Throws std::bad_alloc. link and sink as in Device; capture: gets copies of
// what the link takes, and outlives the device's traffic; null = none.
std::unique_ptr<NetDevice<smp::Native>> make_net_device(
    const DeviceOptions& options, std::unique_ptr<Link<smp::Native>> link,
    SkbSink<smp::Native>& sink, CaptureBuffer<smp::Native>* capture = nullptr);

}  // namespace qdiscsim
