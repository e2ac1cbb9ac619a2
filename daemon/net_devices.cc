#include "daemon/net_devices.h"

#include "qdisc/capture_link.h"
#include "ring/any_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

template <class Ring>
std::unique_ptr<NetDevice<Smp>> make(const DeviceOptions& options, std::unique_ptr<Link<Smp>> link,
                                     SkbSink<Smp>& sink) {
  return std::make_unique<Device<Smp, Ring>>(options, std::move(link), sink);
}

}  // namespace

std::unique_ptr<NetDevice<Smp>> make_net_device(const DeviceOptions& options,
                                                std::unique_ptr<Link<Smp>> link, SkbSink<Smp>& sink,
                                                CaptureBuffer<Smp>* capture) {
  link = captured(std::move(link), capture);
  const RingKind kind = options.qdisc.ring.kind;
  if (options.qdisc.ring != RingChoice{.kind = kind}) {
    return make<AnyRing<Smp>>(options, std::move(link), sink);
  }
  switch (kind) {
    case RingKind::kPtrRing:
      break;
    case RingKind::kMpsc:
      return make<MpscRing<Smp>>(options, std::move(link), sink);
    case RingKind::kLanes:
      return make<LaneRing<Smp>>(options, std::move(link), sink);
    case RingKind::kRte:
      return make<RteBandRing<Smp, RelaxedTailSync>>(options, std::move(link), sink);
  }
  return make<PtrRing<Smp>>(options, std::move(link), sink);
}

}  // namespace qdiscsim
