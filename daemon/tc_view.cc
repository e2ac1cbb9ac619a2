#include "daemon/tc_view.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "qdisc/priority.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPfifoFast = "pfifo_fast";
constexpr std::string_view kMq = "mq";

void add_queue(TcQdisc& out, const QueueSnapshot& queue) {
  for (const BandSnapshot& band : queue.bands) {
    out.bytes += band.bytes;
    out.packets += band.packets;
    out.drops += band.dropped_overlimit;
    out.requeues += band.requeues;
    out.backlog += band.backlog_bytes;
    out.qlen += band.backlog_packets;
  }
  out.backlog += queue.requeue_backlog_bytes;
  out.qlen += queue.requeue_backlog_packets;
}

// A class of the root, as print_tc_classid() writes it: hexadecimal, no major number 0.
std::string class_id(std::uint32_t major, std::uint32_t minor) {
  return major == 0 ? fmt::format(":{:x}", minor) : fmt::format("{:x}:{:x}", major, minor);
}

std::string priomap() {
  std::string out;
  for (const std::uint8_t band : kPriorityToBand) out += fmt::format(" {}", band);
  return out;
}

void add_text(std::string& out, const TcQdisc& q, std::string_view device) {
  out += fmt::format("qdisc {} {} ", q.kind, q.handle);
  if (!device.empty()) out += fmt::format("dev {} ", device);
  out += q.parent ? "parent " + *q.parent + " " : "root ";
  if (q.refcnt != 1) out += fmt::format("refcnt {} ", q.refcnt);
  if (q.kind == kPfifoFast) out += fmt::format("bands {} priomap{}", kBandCount, priomap());
  out += fmt::format("\n Sent {} bytes {} pkt (dropped {}, overlimits {} requeues {}) \n", q.bytes,
                     q.packets, q.drops, q.overlimits, q.requeues);
  out += fmt::format(" backlog {} {}p requeues {}\n", tc_size(q.backlog), q.qlen, q.requeues);
}

Json qdisc_json(const TcQdisc& q, std::string_view device) {
  Json out{{"kind", q.kind}, {"handle", q.handle}};
  if (!device.empty()) out["dev"] = device;
  if (q.parent) {
    out["parent"] = *q.parent;
  } else {
    out["root"] = true;
  }
  if (q.refcnt != 1) out["refcnt"] = q.refcnt;
  Json& options = out["options"] = Json::object();
  if (q.kind == kPfifoFast) {
    options["bands"] = kBandCount;
    options["priomap"] = kPriorityToBand;
    options["multiqueue"] = false;
  }
  out["bytes"] = q.bytes;
  out["packets"] = q.packets;
  out["drops"] = q.drops;
  out["overlimits"] = q.overlimits;
  out["requeues"] = q.requeues;
  out["backlog"] = q.backlog;
  out["qlen"] = q.qlen;
  return out;
}

}  // namespace

std::vector<TcQdisc> tc_qdiscs(const DeviceSnapshot& device) {
  TcQdisc root;
  root.kind = device.queues.size() == 1 ? kPfifoFast : kMq;
  root.handle = fmt::format("{:x}:", device.qdisc_handle);
  for (const QueueSnapshot& queue : device.queues) add_queue(root, queue);
  std::vector<TcQdisc> out;
  if (root.kind == kPfifoFast) {
    root.refcnt = std::uint64_t{device.tx_queues} + 1;  // each tx queue holds it, and the device
    out.push_back(std::move(root));
    return out;
  }
  out.push_back(std::move(root));
  // The children share handle 0, so the kernel's hash finds the one added last first.
  for (auto queue = device.queues.rbegin(); queue != device.queues.rend(); ++queue) {
    TcQdisc& child = out.emplace_back();
    child.kind = kPfifoFast;
    child.handle = "0:";
    child.parent = class_id(device.qdisc_handle, queue->index + 1);
    add_queue(child, *queue);
  }
  return out;
}

std::string tc_qdisc_text(std::span<const DeviceSnapshot> devices, bool name_devices) {
  std::string out;
  for (const DeviceSnapshot& device : devices) {
    for (const TcQdisc& qdisc : tc_qdiscs(device)) {
      add_text(out, qdisc, name_devices ? std::string_view{device.name} : std::string_view{});
    }
  }
  return out;
}

std::string tc_qdisc_json(std::span<const DeviceSnapshot> devices, bool name_devices) {
  Json out = Json::array();
  for (const DeviceSnapshot& device : devices) {
    for (const TcQdisc& qdisc : tc_qdiscs(device)) {
      out.push_back(
          qdisc_json(qdisc, name_devices ? std::string_view{device.name} : std::string_view{}));
    }
  }
  return out.dump() + "\n";
}

std::string tc_size(std::uint64_t bytes) {
  constexpr double kKilo = 1024;
  constexpr double kMega = kKilo * kKilo;
  const auto size = static_cast<double>(bytes);
  const auto near = [size](double unit, double tolerance) {
    return size >= unit && std::fabs(unit * std::rint(size / unit) - size) < tolerance;
  };
  if (near(kMega, kKilo)) return fmt::format("{:g}Mb", std::rint(size / kMega));
  if (near(kKilo, 16)) return fmt::format("{:g}Kb", std::rint(size / kKilo));
  return fmt::format("{}b", bytes);
}

}  // namespace qdiscsim
