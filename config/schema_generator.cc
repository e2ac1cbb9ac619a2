// The schema's entries of a generator group.
#include <array>
#include <cstdint>

#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

using enum Type;
using enum Reload;

constexpr std::array<std::string_view, 1> kCpuWord{"cpu"};
constexpr std::array<std::string_view, 3> kXmitModes{"queue_xmit", "start_xmit", "netif_receive"};

// -- pace: three keys for one field; at most one is set --

template <PaceKind Kind>
constexpr Number pace() {
  return {[](const void* group) {
            const Pace& p = static_cast<const GeneratorGroup*>(group)->pace;
            return p.kind == Kind ? p.value : 0;
          },
          [](void* group, std::uint64_t value) {
            static_cast<GeneratorGroup*>(group)->pace = {Kind, value};
          }};
}
template <PaceKind Kind>
bool paced(const void* group) {
  return static_cast<const GeneratorGroup*>(group)->pace.kind == Kind;
}

template <auto Member>
bool tagged(const void* group) {
  return (static_cast<const GeneratorGroup*>(group)->*Member).id != Vlan::kNone;
}

// -- a capture stands in for pace, packet_size, priority, tos and traffic_class --

bool captured(const void* group) {
  return !static_cast<const GeneratorGroup*>(group)->traffic.pcap.empty();
}
bool described(const void* group) {
  return !captured(group);
}

// -- queue_map: the word cpu or {min, max} --

constexpr Key kQueueMap[] = {
    {.name = "min",
     .reload = kLive,
     .max = 63,
     .number = number<&GeneratorGroup::queue_map_min>(),
     .help = "First queue; packets go round-robin."},
    {.name = "max",
     .reload = kLive,
     .max = 63,
     .number = number<&GeneratorGroup::queue_map_max>(),
     .help = "Last queue, inclusive; one of the device's."},
};
constexpr Key kQueueByCpu{.name = "queue_map",
                          .type = kChoice,
                          .choices = kCpuWord,
                          .number = {[](const void* /*group*/) { return std::uint64_t{0}; },
                                     [](void* group, std::uint64_t /*value*/) {
                                       static_cast<GeneratorGroup*>(group)->queue_map_cpu = true;
                                     }},
                          .shown = [](const void* group) {
                            return static_cast<const GeneratorGroup*>(group)->queue_map_cpu;
                          }};

constexpr Key kPagePool[] = {
    {.name = "size",
     .max = 32'768,
     .number = number<&PagePool::size>(),
     .help = "Entries of the pool's ring; 0 means 1024, more than 16384 counts as 16384."},
    {.name = "ring",
     .type = kSection,
     .keys = ring_keys,
     .scalar = &kRingWord,
     .section = section_of<&PagePool::ring>,
     .help = "Ring through which other CPUs give pages back; a word alone is its `kind`."},
};

constexpr Key kLeak[] = {
    {.name = "every",
     .reload = kLive,
     .max = 1'000'000'000,
     .number = number<&Leak::every>(),
     .help = "Of each thread the page of every n-th packet is kept by a faulty consumer, for ever; "
             "0: none is. See operations.md."},
    {.name = "at_most",
     .reload = kLive,
     .min = 1,
     .max = 1'000'000,
     .number = number<&Leak::at_most>(),
     .help = "Pages of each thread that are kept in all. A smaller number gives none back."},
};

constexpr Key kGenerator[] = {
    {.name = "name",
     .type = kName,
     .reload = kLive,
     .min = 1,
     .max = 31,
     .text = member<&GeneratorGroup::name>,
     .help = "Unique name; thread i is called NAME/i. A renamed group counts as a new one."},
    {.name = "device",
     .type = kName,
     .min = 1,
     .max = 15,
     .text = member<&GeneratorGroup::device>,
     .help = "Name of the device that the group sends to."},
    {.name = "enabled",
     .type = kBool,
     .reload = kLive,
     .number = number<&GeneratorGroup::enabled>(),
     .help =
         "Whether the group's threads run. What is reserved for them stays so, so that they can "
         "be started at any time."},
    {.name = "threads",
     .reload = kLive,
     .min = 1,
     .max = 128,
     .number = number<&GeneratorGroup::threads>(),
     .help = "Threads of the group; more than there are CPUs is allowed."},
    {.name = "pin",
     .type = kBool,
     .number = number<&GeneratorGroup::pin>(),
     .help = "Pin thread i to the i-th of `cpus`, in turn; without `cpus`, of all CPUs."},
    {.name = "cpus",
     .type = kCpus,
     .cpus = member<&GeneratorGroup::cpus>,
     .help = "CPUs that the threads may use; empty: all."},
    {.name = "xmit_mode",
     .type = kChoice,
     .choices = kXmitModes,
     .number = number<&GeneratorGroup::xmit_mode>(),
     .help = "`queue_xmit`: through the qdisc. `start_xmit`: to the driver, past the qdisc. "
             "`netif_receive`: into the receive path."},
    {.name = "count",
     .reload = kLive,
     .max = UINT64_MAX,
     .number = number<&GeneratorGroup::count>(),
     .help = "Packets that each thread gets accepted before it stops; 0: no end."},
    {.name = "delay",
     .type = kDuration,
     .reload = kLive,
     .min = 1,
     .max = 3'600'000'000'000,
     .number = pace<PaceKind::kDelay>(),
     .shown = paced<PaceKind::kDelay>,
     .unset = "no limit",
     .why = "leave the key out for no limit",
     .help = "Time between two packets of one thread. At most one of `delay`, `rate`, `ratep`."},
    {.name = "rate",
     .type = kBitRate,
     .reload = kLive,
     .min = 1'000,
     .max = 1'000'000'000'000,
     .number = pace<PaceKind::kBitRate>(),
     .shown = paced<PaceKind::kBitRate>,
     .unset = "no limit",
     .why = "leave the key out for no limit",
     .help = "Bits of `packet_size` per second, of all threads of the group together."},
    {.name = "ratep",
     .type = kPacketRate,
     .reload = kLive,
     .min = 1,
     .max = 1'000'000'000'000,
     .number = pace<PaceKind::kPacketRate>(),
     .shown = paced<PaceKind::kPacketRate>,
     .unset = "no limit",
     .why = "leave the key out for no limit",
     .help = "Packets per second, of all threads of the group together."},
    {.name = "traffic",
     .type = kSection,
     .reload = kLive,
     .keys = traffic_keys,
     .section = section_of<&GeneratorGroup::traffic>,
     .shown = captured},
    {.name = "packet_size",
     .type = kSection,
     .reload = kLive,
     .keys = packet_size_keys,
     .scalar = &kOneSize,
     .section = section_of<&GeneratorGroup::packet_size>,
     .shown = described,
     .help = "Bytes without FCS: one size, a range or a mix."},
    {.name = "burst",
     .reload = kLive,
     .min = 1,
     .max = 256,
     .number = number<&GeneratorGroup::burst>(),
     .help = "Packets handed over in one go; `start_xmit` and `netif_receive` only."},
    {.name = "enqueue_burst",
     .reload = kLive,
     .min = 1,
     .max = 64,
     .number = number<&GeneratorGroup::enqueue_burst>(),
     .help = "Packets that enter a band under one reservation; `queue_xmit` only. An extension: "
             "the kernel has no such thing."},
    {.name = "clone_skb",
     .reload = kLive,
     .max = 1'000'000'000,
     .number = number<&GeneratorGroup::clone_skb>(),
     .help = "How often one built packet is sent before the next is built; `start_xmit` only."},
    {.name = "priority",
     .type = kList,
     .reload = kLive,
     .min = 1,
     .max = 16,
     .keys = priority_keys,
     .scalar = &kOnePriority,
     .list = list<&GeneratorGroup::priority>(),
     .shown = described,
     .help = "skb->priority of the packets: one number, or a mix by weight."},
    {.name = "tos",
     .reload = kLive,
     .max = 255,
     .number = number<&GeneratorGroup::tos>(),
     .shown = described,
     .help = "TOS byte of the IPv4 header. As in pktgen it does not change the priority."},
    {.name = "traffic_class",
     .reload = kLive,
     .max = 255,
     .number = number<&GeneratorGroup::traffic_class>(),
     .shown =
         [](const void* group) {
           return described(group) && static_cast<const GeneratorGroup*>(group)->source.min.v6;
         },
     .help = "Traffic class of the IPv6 header. It does not change the priority either."},
    {.name = "flows",
     .reload = kLive,
     .max = 65'536,
     .number = number<&GeneratorGroup::flows>(),
     .help = "Number of flows; 0: no flow table."},
    {.name = "flow_length",
     .reload = kLive,
     .max = UINT32_MAX,
     .number = number<&GeneratorGroup::flow_length>(),
     .help = "Packets of a flow before the next one follows; 0 means 1."},
    {.name = "source",
     .type = kSection,
     .reload = kLive,
     .keys = address_keys,
     .scalar = &kOneAddress,
     .section = section_of<&GeneratorGroup::source>,
     .help = "Source address: one, or a range. IPv6 ones make the packets IPv6."},
    {.name = "destination",
     .type = kSection,
     .reload = kLive,
     .keys = address_keys,
     .scalar = &kOneAddress,
     .section = section_of<&GeneratorGroup::destination>,
     .help = "Destination address: one, or a range, of the family of `source`."},
    {.name = "mac_source",
     .type = kSection,
     .reload = kLive,
     .keys = mac_keys,
     .scalar = &kOneMac,
     .section = section_of<&GeneratorGroup::mac_source>,
     .help = "Source MAC address: one, or a range."},
    {.name = "mac_destination",
     .type = kSection,
     .reload = kLive,
     .keys = mac_keys,
     .scalar = &kOneMac,
     .section = section_of<&GeneratorGroup::mac_destination>,
     .help = "Destination MAC address: one, or a range."},
    {.name = "vlan",
     .type = kSection,
     .reload = kLive,
     .keys = vlan_keys,
     .scalar = &kOneTag,
     .section = section_of<&GeneratorGroup::vlan>,
     .shown = tagged<&GeneratorGroup::vlan>,
     .unset = "no tag",
     .help = "VLAN tag (802.1Q): an id, or a map."},
    {.name = "svlan",
     .type = kSection,
     .reload = kLive,
     .keys = vlan_keys,
     .scalar = &kOneTag,
     .section = section_of<&GeneratorGroup::svlan>,
     .shown = tagged<&GeneratorGroup::svlan>,
     .unset = "no tag",
     .help = "Service tag (802.1ad, 0x88a8) outside the VLAN tag: an id, or a map. pktgen's "
             "svlan_id makes it a second 802.1Q tag."},
    {.name = "mpls",
     .type = kList,
     .reload = kLive,
     .min = 1,
     .max = 16,
     .keys = label_keys,
     .scalar = &kOneLabel,
     .list = list<&GeneratorGroup::mpls>(),
     .shown =
         [](const void* group) { return !static_cast<const GeneratorGroup*>(group)->mpls.empty(); },
     .unset = "none",
     .help = "MPLS label stack, outermost first, behind the tags: a label, or a list."},
    {.name = "udp_source",
     .type = kSection,
     .reload = kLive,
     .keys = port_keys,
     .scalar = &kOnePort,
     .section = section_of<&GeneratorGroup::udp_source>,
     .help = "UDP source port: one, or a range."},
    {.name = "udp_destination",
     .type = kSection,
     .reload = kLive,
     .keys = port_keys,
     .scalar = &kOnePort,
     .section = section_of<&GeneratorGroup::udp_destination>,
     .help = "UDP destination port: one, or a range."},
    {.name = "timestamp",
     .type = kBool,
     .reload = kLive,
     .number = number<&GeneratorGroup::timestamp>(),
     .help = "Whether the payload header carries the time of sending."},
    {.name = "udp_checksum",
     .type = kBool,
     .reload = kLive,
     .number = number<&GeneratorGroup::udp_checksum>(),
     .help = "Whether the UDP checksum is computed."},
    {.name = "queue_map",
     .type = kSection,
     .reload = kLive,
     .keys = rows<kQueueMap>,
     .scalar = &kQueueByCpu,
     .section = [](void* group) { return group; },
     .help = "Queue of each packet: a range, round-robin, or `cpu`: thread i uses queue i modulo "
             "the number of queues."},
    {.name = "page_pool",
     .type = kSection,
     .keys = rows<kPagePool>,
     .section = section_of<&GeneratorGroup::page_pool>},
    {.name = "leak",
     .type = kSection,
     .reload = kLive,
     .keys = rows<kLeak>,
     .section = section_of<&GeneratorGroup::leak>,
     .shown =
         [](const void* group) {
           return static_cast<const GeneratorGroup*>(group)->leak.every != 0;
         }},
    {.name = "latency_sample",
     .type = kInteger,
     .reload = kLive,
     .max = 65'536,
     .number = number<&GeneratorGroup::latency_sample>(),
     .help =
         "Of how many packets one, picked at random, has its time measured from when it was due "
         "until it is on the wire; 0: none. See latency.md."},
};

}  // namespace

std::span<const Key> generator_keys() {
  return kGenerator;
}

}  // namespace qdiscsim::config
