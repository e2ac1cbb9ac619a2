// What `tc -s qdisc show` and `tc -s -j qdisc show` would print of the simulated devices, byte for
// byte: the order of the keys, the blanks at the ends of lines, the last mq child first.
//
// Source: iproute2 6.1, tc/tc_qdisc.c, tc/q_prio.c (which prints pfifo_fast), tc/tc_util.c and
// lib/json_print_math.c; the qdiscs' figures as linux 6.18 dumps them. "Sent" counts when the qdisc
// lets a packet go, or at bypass, before the driver answers: a packet that the driver refused is in
// "Sent" and in the backlog. One difference: counters that the kernel keeps in 32 bits (dropped,
// requeues, backlog) do not wrap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/snapshot.h"

namespace qdiscsim {

// One qdisc as tc dumps it.
struct TcQdisc {
  std::string_view kind;              // "mq" or "pfifo_fast"
  std::string handle;                 // "0:", "100:"
  std::optional<std::string> parent;  // ":1", "100:1"; none = root
  std::uint64_t refcnt = 1;
  std::uint64_t bytes = 0;  // with packets: "Sent"
  std::uint64_t packets = 0;
  std::uint64_t drops = 0;  // a band was full; a queue that is down has no qdisc that could count
  std::uint64_t overlimits = 0;  // pfifo_fast never sets it
  std::uint64_t requeues = 0;
  std::uint64_t backlog = 0;  // bytes, those on the requeue and bad-txq lists included, as in qlen
  std::uint64_t qlen = 0;     // packets
};

// The device's qdiscs in tc's order: the root, then mq's children from the last to the first.
std::vector<TcQdisc> tc_qdiscs(const DeviceSnapshot& device);

// name_devices: false for what `tc qdisc show dev X` prints, which leaves `dev X` out.
std::string tc_qdisc_text(std::span<const DeviceSnapshot> devices, bool name_devices);
std::string tc_qdisc_json(std::span<const DeviceSnapshot> devices, bool name_devices);

// A size as iproute2 prints it: in Mb when within 1024 bytes of a whole number of them, in Kb when
// within 16 bytes, else in bytes with a b. Six digits, then an exponent: 1e+06Kb.
std::string tc_size(std::uint64_t bytes);

}  // namespace qdiscsim
