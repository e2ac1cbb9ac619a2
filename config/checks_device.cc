#include "config/checks_device.h"

#include <bit>
#include <filesystem>

#include "config/kernel_bug_words.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

class DeviceRules : public Rules {
 public:
  explicit DeviceRules(const Rules& rules) : Rules(rules) {}

  void run(const Device& device) const {
    link(device.link);
    if (device.drain == Drain::kInline && !device.drain_cpus.empty() && good({"drain"})) {
      report("drain_cpus",
             "has no effect with drain: inline, where the senders drain; remove it, or set drain: "
             "dedicated");
    }
    check_ring(*this, "ring", device.ring);
    if (device.bql.limit_min_bytes > device.bql.limit_max_bytes &&
        good({"bql.limit_min", "bql.limit_max"})) {
      report(given("bql.limit_min") ? "bql.limit_min" : "bql.limit_max",
             "limit_min " + format_quantity(device.bql.limit_min_bytes, Quantity::kSize) +
                 " is above limit_max " +
                 format_quantity(device.bql.limit_max_bytes, Quantity::kSize));
    }
    power_of_two("sojourn_sample", device.sojourn_sample);
    capture(device.capture);
    kernel(device);
  }

 private:
  void capture(const Capture& capture) const {
    if (given("capture") && !given("capture.file")) {
      report("capture", "captures nothing without a file; set capture.file, or remove it");
    }
    if (capture.file.empty() || !good({"capture.file"})) return;
    for (std::size_t i = 0; i < config_.devices.size(); ++i) {
      const Capture& other = config_.devices[i].capture;
      if (&other == &capture) return;
      if (other.file.empty() || path_of(other) != path_of(capture)) continue;
      report("capture.file", quoted(capture.file) + " is already the file of devices[" +
                                 std::to_string(i) + "]; choose another one");
      return;
    }
  }

  static std::filesystem::path path_of(const Capture& capture) {
    return std::filesystem::path{capture.file}.lexically_normal();
  }

  void kernel(const Device& device) const {
    constexpr std::uint32_t kLongestOf61 = 32'767;
    if (config_.kernel < KernelVersion::k6_18 && device.tx_queue_len > kLongestOf61 &&
        good({"tx_queue_len"}) && places_.good("kernel")) {
      report("tx_queue_len", std::to_string(device.tx_queue_len) +
                                 " is refused by kernel 6.1 with ERANGE; allowed: 1 to 32767, or "
                                 "set kernel: \"6.18\"");
    }
    if (device.kernel_bugs == 0 || !good({"kernel_bugs", "nolock", "bypass", "drain", "bql"}))
      return;
    constexpr std::uint32_t kBulk = kernel_bug("unlimited_bulk");
    constexpr std::uint32_t kEither = kBulk | kernel_bug("reset_before_grace");
    constexpr std::uint32_t kLocked = kernel_bug("kept_cpustats") | kernel_bug("parallel_runs");
    if (const std::uint32_t idle =
            device.kernel_bugs & ~kEither & (device.nolock ? kLocked : ~kLocked);
        idle != 0) {
      report("kernel_bugs",
             kernel_bug_names(idle) +
                 (device.nolock ? ": no effect without the root lock; remove, or set nolock: false"
                                : ": no effect under the root lock; remove, or set nolock: true"));
    } else if ((device.kernel_bugs & kernel_bug("kept_cpustats")) != 0 &&
               (!device.bypass || device.drain == Drain::kDedicated)) {
      report("kernel_bugs",
             "kept_cpustats has no effect without the bypass; remove it, or set bypass: true and "
             "drain: inline");
    } else if ((device.kernel_bugs & kernel_bug("bypass_reorders")) != 0 &&
               (!device.bypass || device.drain == Drain::kDedicated)) {
      report("kernel_bugs",
             "bypass_reorders has no effect without the bypass; remove it, or set bypass: true and "
             "drain: inline");
    }
    if ((device.kernel_bugs & kBulk) != 0 && good({"link.kind"}) &&
        (device.link.kind != LinkKind::kWire || !device.bql.enabled)) {
      report("kernel_bugs",
             "unlimited_bulk has no effect without a byte limit; remove it, or set link.kind: wire "
             "with bql.enabled: true");
    }
  }

  void link(const Link& link) const {
    if (!good({"link.kind"})) return;
    if (link.kind != LinkKind::kWire) {
      const char* what = link.kind == LinkKind::kDummy
                             ? "a dummy link, which completes every packet at once"
                         : link.kind == LinkKind::kTap ? "a tap link, which has no wire"
                                                       : "a vhost_net link, which has no wire";
      for (const char* key : {"link.rate", "link.ring", "bql"}) {
        if (given(key)) {
          report(key,
                 std::string("has no effect on ") + what + "; remove it, or set link.kind: wire");
        }
      }
    }
    if (link.kind != LinkKind::kVhostNet) {
      for (const char* key : {"link.tun_ring", "link.clear", "link.consume", "link.vring",
                              "link.guest", "link.busy_poll"}) {
        if (given(key)) {
          report(key, "has an effect with kind: vhost_net only; remove it, or set kind: vhost_net");
        }
      }
    }
    power_of_two("link.vring", link.vring);
    if (link.kind != LinkKind::kTap) {
      for (const char* key : {"link.interface", "link.netns"}) {
        if (given(key)) {
          report(key, "has an effect with kind: tap only; remove it, or set kind: tap");
        }
      }
    }
  }

  void power_of_two(const std::string& key, std::uint32_t value) const {
    if (value == 0 || std::has_single_bit(value)) return;
    report(key, std::to_string(value) + " is not a power of two; write " +
                    std::to_string(std::bit_floor(value)) + " or " +
                    std::to_string(std::bit_ceil(value)));
  }
};

}  // namespace

void check_device(const Rules& rules, const Device& device) {
  DeviceRules(rules).run(device);
}

void check_ring(const Rules& rules, const std::string& key, const Ring& ring) {
  if (!rules.good({key + ".kind"})) return;
  const auto only_for = [&](const char* name, RingKind kind, const char* word) {
    if (ring.kind != kind && rules.given(key + name)) {
      rules.report(key + name, std::string("has an effect with kind: ") + word +
                                   " only; remove it, or set kind: " + word);
    }
  };
  only_for(".lock", RingKind::kPtrRing, "ptr_ring");
  only_for(".clear", RingKind::kPtrRing, "ptr_ring");
  only_for(".sync", RingKind::kRte, "rte");
  if (ring.kind == RingKind::kPtrRing && ring.lock != RingLock::kTestAndSet &&
      ring.clear != RingClear::kZeroBatch && rules.good({key + ".lock", key + ".clear"})) {
    rules.report(key + ".clear",
                 "must be zero_batch with a lock other than test_and_set; change one of them");
  }
}

}  // namespace qdiscsim::config
