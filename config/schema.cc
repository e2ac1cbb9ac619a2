#include "config/schema.h"

#include <array>
#include <cstdint>

#include "config/kernel_bug_words.h"
#include "config/schema_parts.h"

namespace qdiscsim::config {
namespace {

using enum Type;
using enum Reload;

// The order is that of the enumerators in config.h.
constexpr std::array<std::string_view, 5> kLogLevels{"trace", "debug", "info", "warning", "error"};
constexpr std::array<std::string_view, 3> kHugePages{"never", "try", "require"};
constexpr std::array<std::string_view, 2> kKernels{"6.1", "6.18"};
constexpr std::array<std::string_view, 2> kDrains{"inline", "dedicated"};

bool captured(const void* device) {
  return !static_cast<const Device*>(device)->capture.file.empty();
}

bool on_wire(const void* device) {
  return static_cast<const Device*>(device)->link.kind == LinkKind::kWire;
}

constexpr Key kHttp[] = {
    {.name = "listen",
     .type = kListen,
     .help = "Address and port of the HTTP server; an IPv6 address stands in brackets and the "
             "whole in quotes. Port 0 lets the system choose; the log says which."},
};

constexpr Key kControl[] = {
    {.name = "socket",
     .type = kFile,
     .min = 1,
     .max = 107,
     .text = member<&Control::socket>,
     .help = "UNIX socket (mode 0660) on which the HTTP API may also change things; `none`: there "
             "is none. `auto`: control.sock in $RUNTIME_DIRECTORY (systemd), for root in "
             "/run/qdiscsim, else in $XDG_RUNTIME_DIR/qdiscsim. See control.md."},
};

constexpr Key kLog[] = {
    {.name = "level",
     .type = kChoice,
     .reload = kLive,
     .choices = kLogLevels,
     .number = number<&Log::level>(),
     .help = "The least important messages that are logged."},
};

constexpr Key kMemory[] = {
    {.name = "limit",
     .type = kSize,
     .min = 1ULL << 20U,
     .max = 1ULL << 40U,
     .number = number<&Memory::limit_bytes>(),
     .shown =
         [](const void* memory) { return static_cast<const Memory*>(memory)->limit_bytes != 0; },
     .unset = "as much as needed, 48MiB to 1GiB",
     .help = "Packet pages that all page pools together may hold. Must cover what the queues and "
             "generators can hold at once; the message says how much that is. By default also "
             "what can rest in the pools."},
    {.name = "huge_pages",
     .type = kChoice,
     .choices = kHugePages,
     .number = number<&Memory::huge_pages>(),
     .help = "Whether the packet pages lie in huge pages; `require` refuses to start without."},
};

bool control_files(const void* config) {
  return !static_cast<const Config*>(config)->pktgen.control_fs.empty();
}

constexpr Key kPktgen[] = {
    {.name = "control_fs",
     .type = kPath,
     .min = 1,
     .max = 1'000,
     .text = member<&Pktgen::control_fs>,
     .unset = "none",
     .help = "An empty directory where pktgen's control files are mounted: it then behaves like "
             "/proc/net/pktgen (pktgen-control.md). Needs FUSE."},
    {.name = "threads",
     .type = kInteger,
     .max = 128,
     .number = number<&Pktgen::threads>(),
     .help = "Control files kpktgend_0, kpktgend_1, ...: so many threads. 0: one for each CPU that "
             "this process may use; with more, they share the CPUs in turn."},
};

constexpr Key kBql[] = {
    {.name = "enabled",
     .type = kBool,
     .number = number<&Bql::enabled>(),
     .help = "Byte queue limits of a wire: the driver ring holds only what keeps the wire busy."},
    {.name = "limit_min",
     .type = kSize,
     .max = 1'879'048'192,
     .number = number<&Bql::limit_min_bytes>(),
     .help = "The limit never shrinks below this."},
    {.name = "limit_max",
     .type = kSize,
     .max = 1'879'048'192,
     .number = number<&Bql::limit_max_bytes>(),
     .help = "The limit never grows above this."},
};

constexpr Key kDevice[] = {
    {.name = "name",
     .type = kName,
     .min = 1,
     .max = 15,
     .text = member<&Device::name>,
     .help = "Unique name, the `device` label of the metrics."},
    {.name = "link", .type = kSection, .keys = link_keys, .section = section_of<&Device::link>},
    {.name = "queues",
     .type = kInteger,
     .min = 1,
     .max = 64,
     .number = number<&Device::queues>(),
     .help = "Transmit queues, each with its own pfifo_fast; more than one means mq."},
    {.name = "tx_queue_len",
     .type = kInteger,
     .reload = kLive,
     .min = 1,
     .max = 65'536,
     .number = number<&Device::tx_queue_len>(),
     .help = "Packets that each of the three bands of a queue can hold. A change discards what is "
             "queued, as in the kernel."},
    {.name = "drain",
     .type = kChoice,
     .choices = kDrains,
     .number = number<&Device::drain>(),
     .help = "`inline`: the sending thread drains the queue, as in the kernel. `dedicated`: one "
             "thread per queue does nothing else."},
    {.name = "drain_cpus",
     .type = kCpus,
     .cpus = member<&Device::drain_cpus>,
     .help = "CPUs that the threads of `drain: dedicated` are pinned to, in turn; empty: not "
             "pinned."},
    {.name = "bypass",
     .type = kBool,
     .number = number<&Device::bypass>(),
     .help = "Whether a packet may pass an empty queue without entering it (TCQ_F_CAN_BYPASS)."},
    {.name = "nolock",
     .type = kBool,
     .number = number<&Device::nolock>(),
     .help = "Whether the queue works without a root lock (TCQ_F_NOLOCK); `false`: as below tbf or "
             "prio, and before 4.16."},
    {.name = "kernel_bugs",
     .type = kWords,
     .reload = kLive,
     .choices = kKernelBugWords,
     .number = number<&Device::kernel_bugs>(),
     .help = "Mistakes that the transmit path of older kernels had, to be made again; see "
             "kernel-bugs.md."},
    {.name = "ring",
     .type = kSection,
     .keys = ring_keys,
     .scalar = &kRingWord,
     .section = section_of<&Device::ring>,
     .help = "Ring of each band; a word alone is its `kind`."},
    {.name = "bql",
     .type = kSection,
     .keys = rows<kBql>,
     .section = section_of<&Device::bql>,
     .shown = on_wire},
    {.name = "sojourn_sample",
     .type = kInteger,
     .reload = kLive,
     .max = 65'536,
     .number = number<&Device::sojourn_sample>(),
     .help =
         "Of how many packets of a band one, picked at random, has its time in the queue measured, "
         "a power of two; 0: none. See latency.md."},
    {.name = "capture",
     .type = kSection,
     .keys = capture_keys,
     .section = section_of<&Device::capture>,
     .shown = captured},
};

constexpr Key kRoot[] = {
    {.name = "seed",
     .type = kInteger,
     .max = UINT64_MAX,
     .number = number<&Config::seed>(),
     .help = "Start of every random choice; the same seed repeats the same packets."},
    {.name = "duration",
     .type = kDuration,
     .max = 31'536'000'000'000'000,
     .number = number<&Config::duration_ns>(),
     .help = "Stop after this time with the final report; 0: run until a signal comes."},
    {.name = "kernel",
     .type = kChoice,
     .choices = kKernels,
     .number = number<&Config::kernel>(),
     .help = "The Linux release whose behaviour is modelled, where releases differ."},
    {.name = "http", .type = kSection, .keys = rows<kHttp>, .section = section_of<&Config::http>},
    {.name = "control",
     .type = kSection,
     .keys = rows<kControl>,
     .section = section_of<&Config::control>},
    {.name = "log", .type = kSection, .keys = rows<kLog>, .section = section_of<&Config::log>},
    {.name = "memory",
     .type = kSection,
     .keys = rows<kMemory>,
     .section = section_of<&Config::memory>},
    {.name = "pktgen",
     .type = kSection,
     .keys = rows<kPktgen>,
     .section = section_of<&Config::pktgen>,
     .shown = control_files},
    {.name = "devices",
     .type = kList,
     .min = 1,
     .max = 64,
     .keys = rows<kDevice>,
     .list = list<&Config::devices>(),
     .help = "The simulated interfaces; at least one. Adding, removing or reordering them needs a "
             "restart."},
    {.name = "generators",
     .type = kList,
     .reload = kLive,
     .max = 64,
     .keys = generator_keys,
     .list = list<&Config::generators>(),
     .help = "Groups of packet generator threads; may be empty. Groups come and go live."},
};

}  // namespace

std::span<const Key> schema() {
  return kRoot;
}
std::span<const Key> device_keys() {
  return kDevice;
}

}  // namespace qdiscsim::config
