// Rates over the last second, from a short history of snapshots. Pure: time comes from the
// snapshots (taken_at), so tests make it up. One thread; the HTTP thread and the progress line have
// one each.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/snapshot.h"
#include "pagepool/page_pool_stats.h"

namespace qdiscsim {

// The totals of one device from which rates are made.
struct DeviceTotals {
  std::uint64_t offered = 0;    // to queue_xmit, start_xmit and netif_receive together
  std::uint64_t delivered = 0;  // sent by the link, or received by the stack
  std::uint64_t dropped = 0;    // by a band or by the driver
  std::uint64_t bytes = 0;      // sent by the link
  std::array<std::uint64_t, kBands> band_offered{};
  std::array<std::uint64_t, kBands> band_sent{};
  std::array<std::uint64_t, kBands> band_dropped{};
};

DeviceTotals totals_of(const DeviceSnapshot& device) noexcept;

inline constexpr std::size_t kPoolStats = kPagePoolStatNames.size();

struct DeviceRates {
  double seconds = 0;  // what the rates were taken over; 0 = too little history, all rates are 0
  double offered_pps = 0;
  double delivered_pps = 0;
  double dropped_pps = 0;
  double bits_per_second = 0;  // sent by the link, without frame check sequence and gaps
  double drop_ratio = 0;       // dropped / offered, 0 when nothing was offered; 0 .. 1
  std::array<double, kBands> band_offered_pps{};
  std::array<double, kBands> band_sent_pps{};  // the kernel's "Sent": let go by the qdisc
  std::array<double, kBands> band_dropped_pps{};
  std::array<double, kBands> band_drop_ratio{};
};

class RateWindow {
 public:
  // Rates are taken against the youngest snapshot that is at least `span` older than the newest
  // one, or against the oldest there is.
  explicit RateWindow(Nanoseconds span = kSecond) : span_{span} {}

  // Snapshots in the order of their taken_at; one that is not newer than the last is ignored.
  void push(const Snapshot& snapshot);

  // Zeros for a device that the newest snapshot does not have. A counter that went back (a device
  // made anew) counts as standing still.
  DeviceRates device(std::string_view name) const;

  // Packets a second that a generator thread, "GROUP/THREAD", sent.
  double generator(std::string_view name) const;

  // Events a second of a page_pool, in the order of kPagePoolStatNames.
  std::array<double, kPoolStats> pool(std::string_view name) const;

 private:
  template <class T>
  using Named = std::vector<std::pair<std::string, T>>;

  struct Sample {
    Nanoseconds at = 0;
    Named<DeviceTotals> devices;
    Named<std::uint64_t> generators;
    Named<std::array<std::uint64_t, kPoolStats>> pools;
  };

  // A thing's totals in the newest sample and in the oldest one that knows it.
  template <class T>
  struct Span {
    const T* now = nullptr;  // none: too little history
    const T* before = nullptr;
    double seconds = 0;
  };
  template <class T>
  Span<T> span_of(Named<T> Sample::*things, std::string_view name) const;

  Nanoseconds span_;
  std::deque<Sample> samples_;  // oldest first, at most kMaxSamples
};

}  // namespace qdiscsim
