#include "ctl/status.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ctl/figures.h"
#include "text/text_table.h"
#include "text/units.h"

namespace qdiscsim::ctl {
namespace {

std::string devices_table(const Summary& summary) {
  TextTable table{{"device", "link", "state", "offered", "delivered", "dropped", "backlog"}, 3};
  for (const Device& device : summary.devices) {
    std::string link = device.link;
    if (device.link_bits_per_second) link += ' ' + format_bit_rate(*device.link_bits_per_second);
    std::string state = device.up ? "up" : "down";
    if (device.stopped_queues > 0) {
      state += fmt::format(", {} of {} stopped", device.stopped_queues, device.queues);
    }
    table.add({device.name, link, state, format_packet_rate(device.offered_pps),
               format_packet_rate(device.delivered_pps), format_percent(device.drop_ratio),
               format_count(device.backlog)});
  }
  return table.str();
}

std::string generators_line(const Summary& summary) {
  std::size_t running = 0;
  std::string lagging;
  for (const Generator& generator : summary.generators) {
    running += generator.running ? 1 : 0;
    if (!lags(generator)) continue;
    lagging += fmt::format("\n  {} is {} behind its schedule: this host cannot keep its rate",
                           generator.name, seconds_text(generator.behind_seconds));
  }
  return fmt::format("generators: {} of {} run{}\n", running, summary.generators.size(), lagging);
}

}  // namespace

std::string status_text(const Summary& summary, const Address& address) {
  const std::vector<std::string> wrong = ailments(summary);
  std::string out = fmt::format("{} qdiscsimd {} at {}: {}, up {}\n",
                                wrong.empty() ? "healthy:" : "NOT HEALTHY:", summary.version,
                                address.text(), summary.state, uptime_text(summary.uptime_seconds));
  for (const std::string& line : wrong) out += "  " + line + '\n';
  const std::uint64_t changes = summary.changed_since_reload;
  out +=
      fmt::format("configuration: {}{}{}\n", count_of(summary.reloads, "reload"),
                  summary.last_reload_ok ? "" : ", the last one REFUSED",
                  changes == 0 ? "" : "; " + count_of(changes, "change") + " on top of the file");
  out += fmt::format("account: {}\n", summary.account_violations == 0
                                          ? "adds up"
                                          : count_of(summary.account_violations, "violation"));
  return out + generators_line(summary) + devices_table(summary);
}

std::string status_json(const Summary& summary, const std::string& body, const Address& address) {
  using Ordered = nlohmann::ordered_json;
  const std::vector<std::string> wrong = ailments(summary);
  const Ordered out{{"healthy", wrong.empty()},
                    {"ailments", wrong},
                    {"address", address.text()},
                    {"summary", Ordered::parse(body)}};
  return out.dump(2, ' ', false, Ordered::error_handler_t::replace) + '\n';
}

}  // namespace qdiscsim::ctl
