// The schema's entries of a link: its kind, and what each kind offers.
#include <array>

#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

using enum Type;
using enum Reload;

// The order is that of the enumerators in config.h.
constexpr std::array<std::string_view, 4> kLinkKinds{"dummy", "wire", "vhost_net", "tap"};
constexpr std::array<std::string_view, 2> kConsumes{"one", "batched"};
constexpr std::array<std::string_view, 2> kGuests{"inline", "dedicated"};

template <LinkKind Kind>
bool of_kind(const void* link) {
  return static_cast<const Link*>(link)->kind == Kind;
}

constexpr Key kLink[] = {
    {.name = "kind",
     .type = kChoice,
     .choices = kLinkKinds,
     .number = number<&Link::kind>(),
     .help =
         "`dummy` completes every packet at once; `wire` sends at a rate, through a driver "
         "ring, each packet with 24 bytes of preamble, FCS and gap; `vhost_net` hands packets "
         "to a guest: tun's ring, a vhost worker for each queue, a vring; `tap` writes them to a "
         "real interface in a network namespace of its own (links.md)."},
    {.name = "rate",
     .type = kBitRate,
     .reload = kLive,
     .min = 1'000,
     .max = 1'000'000'000'000,
     .number = number<&Link::rate_bits_per_second>(),
     .shown = of_kind<LinkKind::kWire>,
     .help = "Line rate of a wire."},
    {.name = "ring",
     .type = kInteger,
     .min = 8,
     .max = 32'768,
     .number = number<&Link::ring_size>(),
     .shown = of_kind<LinkKind::kWire>,
     .help = "Descriptors of a wire's driver ring, per queue."},
    {.name = "tun_ring",
     .type = kInteger,
     .min = 1,
     .max = 65'536,
     .number = number<&Link::tun_ring>(),
     .shown = of_kind<LinkKind::kVhostNet>,
     .help = "Packets that tun's ptr_ring holds, per queue; a full one drops (vhost_net)."},
    {.name = "clear",
     .type = kChoice,
     .choices = kRingClears,
     .number = number<&Link::clear>(),
     .shown = of_kind<LinkKind::kVhostNet>,
     .help = "When the worker gives slots of tun's ring back (vhost_net)."},
    {.name = "consume",
     .type = kChoice,
     .choices = kConsumes,
     .number = number<&Link::consume>(),
     .shown = of_kind<LinkKind::kVhostNet>,
     .help = "`one`: the worker looks at each packet and takes it, under the ring's lock each "
             "time. `batched`: it takes up to 64 at once (vhost_net)."},
    {.name = "vring",
     .type = kInteger,
     .min = 8,
     .max = 1'024,
     .number = number<&Link::vring>(),
     .shown = of_kind<LinkKind::kVhostNet>,
     .help = "Buffers of 4KiB that the guest posts, per queue; a power of two (vhost_net)."},
    {.name = "guest",
     .type = kChoice,
     .choices = kGuests,
     .number = number<&Link::guest>(),
     .shown = of_kind<LinkKind::kVhostNet>,
     .help = "`inline`: the guest is work on the worker's thread. `dedicated`: one thread per "
             "queue, for a machine with a CPU for each (vhost_net)."},
    {.name = "busy_poll",
     .type = kBool,
     .number = number<&Link::busy_poll>(),
     .shown = of_kind<LinkKind::kVhostNet>,
     .help =
         "Whether worker and guest stay awake while idle, for a machine with a CPU for each; on "
         "a shared CPU a thread that only polls is put off. A sleeper needs some 60us to wake "
         "(vhost_net)."},
    {.name = "interface",
     .type = kName,
     .min = 1,
     .max = 15,
     .text = member<&Link::interface>,
     .shown = of_kind<LinkKind::kTap>,
     .unset = "the device's name",
     .help = "The TAP interface on which the packets arrive (tap)."},
    {.name = "netns",
     .type = kName,
     .min = 1,
     .max = 64,
     .text = member<&Link::netns>,
     .shown = of_kind<LinkKind::kTap>,
     .unset = "qdiscsim-NAME, after the device",
     .help = "The network namespace of that interface, as `ip netns` names it. The daemon makes it "
             "and removes it; devices may share one (tap)."},
};

}  // namespace

std::span<const Key> link_keys() {
  return kLink;
}

}  // namespace qdiscsim::config
