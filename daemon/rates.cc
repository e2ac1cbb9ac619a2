#include "daemon/rates.h"

#include <algorithm>

namespace qdiscsim {
namespace {

// Bounds the memory when somebody pushes far more often than four times a second.
constexpr std::size_t kMaxSamples = 64;

double per_second(std::uint64_t now, std::uint64_t before, double seconds) noexcept {
  return now > before ? static_cast<double>(now - before) / seconds : 0.0;
}

template <class T>
const T* find(const std::vector<std::pair<std::string, T>>& things, std::string_view name) {
  for (const auto& [its, totals] : things) {
    if (its == name) return &totals;
  }
  return nullptr;
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
      totals.band_sent[i] += band.packets;
      totals.band_offered[i] += band.enqueue_attempts + band.bypassed_packets;
    }
  }
  return totals;
}

void RateWindow::push(const Snapshot& snapshot) {
  if (!samples_.empty() && snapshot.taken_at <= samples_.back().at) return;
  Sample& sample = samples_.emplace_back();
  sample.at = snapshot.taken_at;
  for (const DeviceSnapshot& device : snapshot.devices) {
    sample.devices.emplace_back(device.name, totals_of(device));
  }
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    sample.generators.emplace_back(generator.group + "/" + generator.thread,
                                   generator.sent_packets);
  }
  for (const PoolSnapshot& pool : snapshot.pools) {
    sample.pools.emplace_back(pool.name, pool.stats.values());
  }
  // The front is needed only while the sample after it is younger than the span.
  while (samples_.size() > kMaxSamples ||
         (samples_.size() > 2 && sample.at - samples_[1].at >= span_)) {
    samples_.pop_front();
  }
}

template <class T>
RateWindow::Span<T> RateWindow::span_of(Named<T> Sample::*things, std::string_view name) const {
  if (samples_.size() < 2) return {};
  const T* now = find(samples_.back().*things, name);
  if (now == nullptr) return {};
  for (auto sample = samples_.begin(); sample != samples_.end() - 1; ++sample) {
    if (const T* before = find((*sample).*things, name)) {
      return {now, before, static_cast<double>(samples_.back().at - sample->at) / kSecond};
    }
  }
  return {};
}

DeviceRates RateWindow::device(std::string_view name) const {
  DeviceRates rates;
  const auto [now, before, seconds] = span_of(&Sample::devices, name);
  if (now == nullptr) return rates;
  rates.seconds = seconds;
  rates.offered_pps = per_second(now->offered, before->offered, seconds);
  rates.delivered_pps = per_second(now->delivered, before->delivered, seconds);
  rates.dropped_pps = per_second(now->dropped, before->dropped, seconds);
  rates.bits_per_second = 8 * per_second(now->bytes, before->bytes, seconds);
  rates.drop_ratio = ratio(rates.dropped_pps, rates.offered_pps);
  for (std::size_t i = 0; i < kBands; ++i) {
    rates.band_offered_pps[i] = per_second(now->band_offered[i], before->band_offered[i], seconds);
    rates.band_sent_pps[i] = per_second(now->band_sent[i], before->band_sent[i], seconds);
    rates.band_dropped_pps[i] = per_second(now->band_dropped[i], before->band_dropped[i], seconds);
    rates.band_drop_ratio[i] = ratio(rates.band_dropped_pps[i], rates.band_offered_pps[i]);
  }
  return rates;
}

double RateWindow::generator(std::string_view name) const {
  const auto [now, before, seconds] = span_of(&Sample::generators, name);
  return now == nullptr ? 0 : per_second(*now, *before, seconds);
}

std::array<double, kPoolStats> RateWindow::pool(std::string_view name) const {
  std::array<double, kPoolStats> rates{};
  const auto [now, before, seconds] = span_of(&Sample::pools, name);
  if (now == nullptr) return rates;
  for (std::size_t i = 0; i < kPoolStats; ++i) {
    rates[i] = per_second((*now)[i], (*before)[i], seconds);
  }
  return rates;
}

}  // namespace qdiscsim
