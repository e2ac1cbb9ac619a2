// What a qdiscsim configuration means, as plain structs with their defaults. The YAML loader
// (config/loader.h) fills them; the engine reads them. No room but daemon/ includes this file.
// All values here were validated: a range in a comment is what the loader guarantees.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/kernel_version.h"
#include "config/addresses.h"

namespace qdiscsim {
class Trace;  // pktgen's; here only carried
}

namespace qdiscsim::config {

// config: HTTP listener.
struct Http {
  std::string address = "127.0.0.1";  // an IPv4 or IPv6 address, no host name
  std::uint16_t port = 9713;          // 0 lets the system choose; the log says which

  bool operator==(const Http&) const = default;
};

// The UNIX socket through which a running daemon may be changed.
struct Control {
  // "auto": where RUNTIME_DIRECTORY or XDG_RUNTIME_DIR says, see daemon/control_socket.h; "none";
  // or a path of 1 .. 107 characters.
  std::string socket = "auto";

  bool operator==(const Control&) const = default;
};

enum class LogLevel : std::uint8_t { kTrace, kDebug, kInfo, kWarning, kError };

struct Log {
  LogLevel level = LogLevel::kInfo;

  bool operator==(const Log&) const = default;
};

enum class HugePages : std::uint8_t { kNever, kTry, kRequire };

// The page arena that every page_pool allocates from.
struct Memory {
  std::uint64_t limit_bytes = 0;  // 1 MiB .. 1 TiB; 0 = as much as needed (config/pages.h)
  HugePages huge_pages = HugePages::kTry;

  bool operator==(const Memory&) const = default;
};

enum class Drain : std::uint8_t { kInline, kDedicated };

enum class RingKind : std::uint8_t { kPtrRing, kMpsc, kLanes, kRte };
enum class RingLock : std::uint8_t { kTestAndSet, kTicket, kMcs, kYielding };
enum class RingClear : std::uint8_t {
  kZeroEach,
  kZeroBatch,
  kClearAfterHead,
  kClearAfterHeadBarriers,
  kFlushOnEmpty
};
enum class RingSync : std::uint8_t { kMultiThread, kRelaxedTail, kHeadTail };

// The ring of a pfifo_fast band or of a page_pool.
struct Ring {
  RingKind kind = RingKind::kPtrRing;
  RingLock lock = RingLock::kTestAndSet;    // ptr_ring only; not the default: clear is
  RingClear clear = RingClear::kZeroBatch;  // ptr_ring only
  RingSync sync = RingSync::kRelaxedTail;   // rte only

  bool operator==(const Ring&) const = default;
};

enum class LinkKind : std::uint8_t { kDummy, kWire, kVhostNet, kTap };
enum class Consume : std::uint8_t { kOne, kBatched };

struct Link {
  LinkKind kind = LinkKind::kDummy;
  std::uint64_t rate_bits_per_second = 1'000'000'000;  // wire only: 1 kbit/s .. 1 Tbit/s
  std::uint32_t ring_size = 256;                       // wire only: driver descriptors, 8 .. 32768
  // vhost_net only, each for one queue:
  std::uint32_t tun_ring = 500;             // packets, 1 .. 65536
  RingClear clear = RingClear::kZeroBatch;  // of tun's ring
  Consume consume = Consume::kBatched;      // how the worker takes packets from it
  std::uint32_t vring = 256;                // buffers, 8 .. 1024; power of two
  Drain guest = Drain::kInline;             // on the worker's thread, or on one of its own
  bool busy_poll = false;                   // worker and guest stay awake while idle
  // tap only, [a-zA-Z0-9_.-]. The loader fills in what is not said: NAME and qdiscsim-NAME, after
  // the device. No two devices have both in common.
  std::string interface {};  // 1 .. 15 characters; not lo, all, default
  std::string netns{};       // 1 .. 64 characters

  bool operator==(const Link&) const = default;
};

struct Bql {
  bool enabled = true;  // has an effect on a wire link only
  std::uint32_t limit_min_bytes = 0;
  std::uint32_t limit_max_bytes = 1'879'048'192;

  bool operator==(const Bql&) const = default;
};

// What leaves through a device's link, written to a pcapng file.
struct Capture {
  std::string file;                          // path; empty = no capture
  std::uint64_t limit_bytes = 64ULL << 20U;  // of the file; 16 KiB .. 1 TiB
  std::uint64_t packets = 0;                 // 0 = no such limit
  std::uint32_t snaplen = 3'584;  // bytes of each packet; 64 .. 3584: more than the longest one

  bool operator==(const Capture&) const = default;
};

struct Device {
  std::string name = "eth0";  // [a-zA-Z0-9_.-]{1,15}, unique
  Link link;
  std::uint32_t queues = 1;           // 1 .. 64; more than one means mq
  std::uint32_t tx_queue_len = 1000;  // per band; 1 .. 65536
  Drain drain = Drain::kInline;
  std::vector<std::uint32_t>
      drain_cpus;      // dedicated only: CPUs of the drain threads, in turn; may be empty
  bool bypass = true;  // pfifo_fast's TCQ_F_CAN_BYPASS
  bool nolock = true;  // TCQ_F_NOLOCK; false: a root lock
  std::uint32_t kernel_bugs = 0;  // bit n: the n-th word of the schema, as in qdisc/kernel_bugs.h
  Ring ring;                      // of each band
  Bql bql;
  std::uint32_t sojourn_sample = 64;  // time one in n packets of a band; 0 = none; power of two
  Capture capture;

  bool operator==(const Device&) const = default;
};

enum class XmitMode : std::uint8_t { kQueueXmit, kStartXmit, kNetifReceive };

// One size or a mix: the weights are relative. Sizes are in bytes without FCS, as pktgen's
// pkt_size.
struct SizeWeight {
  std::uint32_t size = 60;   // 42 .. 3500 (one page holds one packet)
  std::uint32_t weight = 1;  // 1 .. 1000000

  bool operator==(const SizeWeight&) const = default;
};

enum class SizeKind : std::uint8_t { kFixed, kSequence, kRandom, kImix };

struct PacketSize {
  SizeKind kind = SizeKind::kFixed;
  std::uint32_t min = 60;        // fixed: the size; 42 .. 3500
  std::uint32_t max = 60;        // sequence, random: inclusive, >= min
  std::vector<SizeWeight> imix;  // imix: 1 .. 20 entries

  bool operator==(const PacketSize&) const = default;
};

struct PriorityWeight {
  std::uint32_t priority = 0;  // raw skb->priority
  std::uint32_t weight = 1;    // 1 .. 1000000

  bool operator==(const PriorityWeight&) const = default;
};

// Inclusive range of addresses of one family; of IPv6 the first 96 bits are the same.
struct AddressRange {
  IpAddress min;
  IpAddress max;
  bool random = false;  // else one after the other

  bool operator==(const AddressRange&) const = default;
};

// Inclusive range of MAC addresses, 48 bits; the first 16 are the same.
struct MacRange {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  bool random = false;

  bool operator==(const MacRange&) const = default;
};

// A VLAN or service tag.
struct Vlan {
  static constexpr std::uint16_t kNone = 0xffff;

  std::uint16_t id = kNone;   // 0 .. 4095; kNone: there is no tag
  std::uint8_t priority = 0;  // 0 .. 7
  bool cfi = false;

  bool operator==(const Vlan&) const = default;
};

struct MplsLabel {
  std::uint32_t label = 0;         // 20 bits
  std::uint8_t traffic_class = 0;  // 0 .. 7
  std::uint8_t ttl = 64;

  bool operator==(const MplsLabel&) const = default;
};

struct PortRange {
  std::uint16_t min = 9;
  std::uint16_t max = 9;  // inclusive
  bool random = false;

  bool operator==(const PortRange&) const = default;
};

enum class PaceKind : std::uint8_t { kUnlimited, kDelay, kPacketRate, kBitRate };

// How fast a group of threads sends. kPacketRate and kBitRate are totals, split over the threads so
// that the parts sum to the total. kDelay is per thread, between two packets.
struct Pace {
  PaceKind kind = PaceKind::kUnlimited;
  std::uint64_t value = 0;  // ns, packets/s or bits/s (bits of pkt_size, as pktgen's `rate`)

  bool operator==(const Pace&) const = default;
};

enum class SpeedKind : std::uint8_t { kFactor, kMax, kPacketRate };

// How fast a capture is replayed.
struct Speed {
  SpeedKind kind = SpeedKind::kFactor;
  std::uint64_t value = 1'000;  // kFactor: thousandths, 1 .. 1000000; kPacketRate: 1 .. 10^12

  bool operator==(const Speed&) const = default;
};

// Packets as in a capture.
struct CapturedTraffic {
  std::string pcap;  // absolute path; empty = no capture
  Speed speed;
  bool loop = false;
  // What was read from the file: put here by the daemon, not by the loader. Who reads the file
  // again and finds the same keeps the old one.
  std::shared_ptr<const Trace> trace = nullptr;

  bool operator==(const CapturedTraffic&) const = default;
};

struct PagePool {
  std::uint32_t size =
      0;  // pool_size: ring entries; 0 means 1024; above 16384 is capped (6.18); 0 .. 32768
  Ring ring{};

  bool operator==(const PagePool&) const = default;
};

// A consumer that keeps pages for ever, to see what then shows it.
struct Leak {
  std::uint64_t every = 0;      // of each thread the page of every n-th packet; 0 = none
  std::uint64_t at_most = 100;  // pages of each thread; 1 .. 1000000

  bool operator==(const Leak&) const = default;
};

struct GeneratorGroup {
  std::string name = "gen";  // unique; a thread's label is NAME/0, NAME/1, ...
  std::string device = "eth0";
  bool enabled = true;        // false: its threads do not run
  std::uint32_t threads = 1;  // 1 .. 128
  bool pin =
      false;  // pin thread i to cpus[i % cpus.size()], or to CPU i % online when cpus is empty
  std::vector<std::uint32_t>
      cpus;  // CPUs that exist; without pin the threads may float among these
  XmitMode xmit_mode = XmitMode::kQueueXmit;
  std::uint64_t count = 0;  // packets per thread; 0 = until stopped
  Pace pace;
  CapturedTraffic traffic;  // in place of pace, packet_size, priority and tos
  PacketSize packet_size;
  std::uint32_t burst = 1;          // 1 .. 256; start_xmit and netif_receive only
  std::uint32_t enqueue_burst = 1;  // 1 .. 64; queue_xmit only; an extension that the kernel lacks
  std::uint32_t clone_skb = 0;      // start_xmit only
  std::vector<PriorityWeight> priority{{}};                 // at least one
  std::uint8_t tos = 0;                                     // IPv4
  std::uint8_t traffic_class = 0;                           // IPv6
  std::uint32_t flows = 0;                                  // 0 .. 65536; 0 = no flow table
  std::uint32_t flow_length = 0;                            // packets before the next flow; 0 = 1
  AddressRange source{0xc6120001, 0xc6120001, false};       // 198.18.0.1
  AddressRange destination{0xc612002a, 0xc612002a, false};  // 198.18.0.42
  // The family of source and destination is that of the packets.
  MacRange mac_source{0x020000000001, 0x020000000001, false};
  MacRange mac_destination{0x020000000002, 0x020000000002, false};
  Vlan vlan;
  Vlan svlan;                   // outside vlan, and only with it
  std::vector<MplsLabel> mpls;  // at most 16, outermost first
  PortRange udp_source;
  PortRange udp_destination;
  bool timestamp = true;  // pktgen payload header carries seconds and microseconds
  bool udp_checksum = false;
  // mq: the queue of each packet. min..max round-robin; with cpu_to_queue thread i uses queue i %
  // queues.
  std::uint32_t queue_map_min = 0;
  std::uint32_t queue_map_max = 0;
  bool queue_map_cpu = false;
  PagePool page_pool;
  Leak leak;
  std::uint32_t latency_sample = 64;  // time one in n packets; 0 = none; 0 .. 65536

  bool operator==(const GeneratorGroup&) const = default;
};

// pktgen's control files, as /proc/net/pktgen, mounted for scripts.
struct Pktgen {
  std::string control_fs;     // absolute path of an empty directory; empty = not mounted
  std::uint32_t threads = 0;  // kpktgend_0 .. kpktgend_<threads - 1>; 0 = one a CPU; 0 .. 128

  bool operator==(const Pktgen&) const = default;
};

struct Config {
  std::uint64_t seed = 1;
  std::uint64_t duration_ns = 0;  // 0 = until a signal; else stop by itself with the final report
  KernelVersion kernel = KernelVersion::k6_18;  // the release whose behaviour is modelled
  Http http;
  Control control;
  Log log;
  Memory memory;
  Pktgen pktgen;
  std::vector<Device> devices;             // at least one, at most 64
  std::vector<GeneratorGroup> generators;  // may be empty; at most 64

  bool operator==(const Config&) const = default;
};

// Whether its threads end by themselves.
inline bool has_end(const GeneratorGroup& group) {
  return group.count != 0 || (!group.traffic.pcap.empty() && !group.traffic.loop);
}

// Null: there is none of this name.
inline const Device* find_device(const Config& config, std::string_view name) {
  for (const Device& device : config.devices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

}  // namespace qdiscsim::config
