#include "daemon/rates.h"

#include <algorithm>

namespace qdiscsim {
namespace {

// Bounds the memory when somebody pushes far more often than four times a second.
constexpr std::size_t kMaxSamples = 64;

double per_second(std::uint64_t now, std::uint64_t before, double seconds) noexcept {
  return now > before ? static_cast<double>(now - before) / seconds : 0.0;
}

double ratio(double part, double whole) noexcept {
  return whole > 0 ? std::min(part / whole, 1.0) : 0.0;
}

}  // namespace

DeviceTotals totals_of(const DeviceSnapshot& device) noexcept {
  DeviceTotals totals;
  totals.offered = device.received_packets;
  totals.delivered = device.received_packets;
  for (const QueueSnapshot& queue : device.queues) {
    totals.offered += queue.offered_packets + queue.direct_packets;
    totals.delivered += queue.tx_packets;
    totals.dropped += queue.tx_dropped_packets;
    totals.bytes += queue.tx_bytes;
    for (std::size_t i = 0; i < kBands; ++i) {
      const BandSnapshot& band = queue.bands[i];
      const std::uint64_t dropped = band.dropped_overlimit + band.dropped_deactivated;
      totals.dropped += dropped;
      totals.band_dropped[i] += dropped;
      totals.band_offered[i] += band.enqueue_attempts + band.bypassed_packets;
    }
  }
  return totals;
}

const DeviceTotals* RateWindow::Sample::find(std::string_view name) const noexcept {
  for (const auto& [device, totals] : devices) {
    if (device == name) return &totals;
  }
  return nullptr;
}

void RateWindow::push(const Snapshot& snapshot) {
  if (!samples_.empty() && snapshot.taken_at <= samples_.back().at) return;
  Sample& sample = samples_.emplace_back();
  sample.at = snapshot.taken_at;
  for (const DeviceSnapshot& device : snapshot.devices) {
    sample.devices.emplace_back(device.name, totals_of(device));
  }
  // The front is needed only while the sample after it is younger than the span.
  while (samples_.size() > kMaxSamples ||
         (samples_.size() > 2 && sample.at - samples_[1].at >= span_)) {
    samples_.pop_front();
  }
}

DeviceRates RateWindow::device(std::string_view name) const {
  DeviceRates rates;
  if (samples_.size() < 2) return rates;
  const DeviceTotals* now = samples_.back().find(name);
  if (now == nullptr) return rates;
  const auto first = std::find_if(samples_.begin(), samples_.end() - 1,
                                  [&](const Sample& s) { return s.find(name) != nullptr; });
  if (first == samples_.end() - 1) return rates;
  const DeviceTotals& before = *first->find(name);

  const double seconds = static_cast<double>(samples_.back().at - first->at) / kSecond;
  rates.seconds = seconds;
  rates.offered_pps = per_second(now->offered, before.offered, seconds);
  rates.delivered_pps = per_second(now->delivered, before.delivered, seconds);
  rates.dropped_pps = per_second(now->dropped, before.dropped, seconds);
  rates.bits_per_second = 8 * per_second(now->bytes, before.bytes, seconds);
  rates.drop_ratio = ratio(rates.dropped_pps, rates.offered_pps);
  for (std::size_t i = 0; i < kBands; ++i) {
    rates.band_offered_pps[i] = per_second(now->band_offered[i], before.band_offered[i], seconds);
    rates.band_drop_ratio[i] =
        ratio(per_second(now->band_dropped[i], before.band_dropped[i], seconds),
              rates.band_offered_pps[i]);
  }
  return rates;
}

}  // namespace qdiscsim
