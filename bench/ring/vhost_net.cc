#include "bench/ring/vhost_net.h"

#include <cmath>
#include <map>

#include "bench/ring/registry.h"
#include "ring/clear_policy.h"

namespace qdiscsim::ring_bench {
namespace {

template <class Clear>
using TunRing = PtrRing<smp::Native, TestAndSetLock<smp::Native>, Clear>;

constexpr std::size_t kBatch = 64;  // VHOST_NET_BATCH

// The second generation's share of drops in the published case: 0.33 of 2.28 Mpps.
constexpr double kPublishedShare = 100 * 0.33 / 2.28;

// pktgen's rate, the same for all variants: the one at which zero_batch loses the published share,
// so that both its neighbours can be told from it: zero_each carries less, consume_batched more.
// Searched for once in a process for each size of tun's ring. Without a load in common the shares
// could not be compared: a dropped packet costs pktgen less than one that is carried.
Pacer::Period published_load(const Params& params, std::string& error) {
  constexpr std::uint64_t kPackets = 400'000;
  constexpr int kSteps = 10;
  static std::map<std::size_t, double> found;  // packets per second
  double& rate = found[params.size];
  if (rate == 0) {
    Params trial = params;
    trial.count = kPackets;
    double low = 1e6;
    double high = 1e8;
    for (int i = 0; i < kSteps; ++i) {
      const double middle = std::sqrt(low * high);
      const Outcome outcome = run_vhost_net<TunRing<ZeroBatch>>(
          trial,
          {.batch = 1, .period = Pacer::packets_per_second(static_cast<std::uint64_t>(middle))});
      error = outcome.error;
      if (!error.empty()) return {};
      (outcome.figures.back().second < kPublishedShare ? low : high) = middle;
    }
    rate = std::sqrt(low * high);
  }
  return Pacer::packets_per_second(static_cast<std::uint64_t>(rate));
}

template <class Clear>
Outcome run(const Params& params, std::size_t batch) {
  Outcome outcome;
  const Pacer::Period period = published_load(params, outcome.error);
  if (!outcome.error.empty()) return outcome;
  return run_vhost_net<TunRing<Clear>>(params, {.batch = batch, .period = period});
}

}  // namespace

// The three generations of 2017.
void add_vhost_net(Registry& registry) {
  Mode& mode = registry.mode("vhost_net");
  mode.about =
      "pktgen -> tun's ptr_ring (-s) -> vhost worker -> vring -> guest, under the published load";
  mode.item = "packets";
  registry.add("vhost_net", {"zero_each", "clears each slot; the worker takes one by one",
                             [](const Params& params) { return run<ZeroEach>(params, 1); }});
  registry.add("vhost_net", {"zero_batch", "clears in batches; the worker takes one by one",
                             [](const Params& params) { return run<ZeroBatch>(params, 1); }});
  registry.add("vhost_net",
               {"zero_batch_consume_batched", "clears in batches; the worker takes 64 at once",
                [](const Params& params) { return run<ZeroBatch>(params, kBatch); }});
}

}  // namespace qdiscsim::ring_bench
