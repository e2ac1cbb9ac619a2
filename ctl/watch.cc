#include "ctl/watch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "ctl/figures.h"
#include "ctl/output.h"
#include "text/units.h"

namespace qdiscsim::ctl {
namespace {

struct Totals {
  double offered = 0;
  double delivered = 0;
  double dropped = 0;
  std::uint64_t backlog = 0;
};

Totals totals_of(const Summary& summary) {
  Totals out;
  for (const Device& device : summary.devices) {
    out.offered += device.offered_pps;
    out.delivered += device.delivered_pps;
    out.dropped += device.dropped_pps;
    out.backlog += device.backlog;
  }
  return out;
}

}  // namespace

std::string watch_titles() {
  return fmt::format("{:>8} {:>9} {:>9} {:>9} {:>7} {:>9}\n{:>8} {:>9} {:>9} {:>9} {:>7} {:>9}\n",
                     "time", "offered", "delivered", "dropped", "dropped", "backlog", "", "Mpps",
                     "Mpps", "Mpps", "", "packets");
}

std::string watch_line(const Summary& summary) {
  const Totals all = totals_of(summary);
  const double ratio = all.offered > 0 ? all.dropped / all.offered : 0;
  return fmt::format("{:>8} {:>9} {:>9} {:>9} {:>7} {:>9}\n", clock_text(summary.time),
                     mpps_text(all.offered), mpps_text(all.delivered), mpps_text(all.dropped),
                     format_percent(ratio), all.backlog);
}

std::string watch_json(const Summary& summary) {
  const Totals all = totals_of(summary);
  return nlohmann::ordered_json{{"time", summary.time},       {"state", summary.state},
                                {"offered_pps", all.offered}, {"delivered_pps", all.delivered},
                                {"dropped_pps", all.dropped}, {"backlog_packets", all.backlog}}
             .dump() +
         '\n';
}

int run_watch(const Options& options, Client& client) {
  constexpr unsigned kLinesATitle = 20;
  const auto step = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>{options.interval});
  auto next = std::chrono::steady_clock::now();
  bool answered = false;
  for (unsigned lines = 0; options.count == 0 || lines < options.count;) {
    try {
      const Summary summary = parse_summary(client.get("/api/v1/summary"));
      answered = true;
      if (!options.json && lines % kLinesATitle == 0 && !print(watch_titles())) return kExitOk;
      if (!print(options.json ? watch_json(summary) : watch_line(summary))) return kExitOk;
      if (++lines == options.count) break;
    } catch (const Failure& failure) {
      if (!answered || failure.exit_code() == kExitIo) throw;
      std::fprintf(stderr, "qdiscsimctl: %s\n", failure.what());
    }
    next = std::max(next + step, std::chrono::steady_clock::now());
    std::this_thread::sleep_until(next);
  }
  return kExitOk;
}

}  // namespace qdiscsim::ctl
