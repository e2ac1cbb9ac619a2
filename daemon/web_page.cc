#include "daemon/web_page.h"

#include <fmt/format.h>

#include <iterator>

#include "daemon/units.h"
#include "daemon/version.h"

namespace qdiscsim {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>qdiscsim</title>
<noscript><meta http-equiv="refresh" content="2"></noscript>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --bad: #b00020; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { margin-bottom: 0; } h2 { margin: 1.6rem 0 .3rem; font-size: 1.2rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: .5rem 0; }
.figures div { display: flex; flex-direction: column-reverse; }
.figures dt { opacity: .8; } .figures dd { margin: 0; font-size: 1.8rem; }
dd, td { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; opacity: .8; padding: .3rem 0; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; } thead th { background: var(--soft); }
.bad { color: var(--bad); font-weight: 600; }
</style>
</head>
<body>
<header>
<h1>qdiscsim</h1>
<p>Synthetic packets from pktgen-like threads go through the three bands of pfifo_fast to a simulated
link; their pages come back through page_pool. Rates below are over the last second.</p>
<nav aria-label="End points"><a href="/metrics">Prometheus metrics</a> ·
<a href="/api/v1/summary">these figures as JSON</a> · <a href="/api/v1/qdisc.txt">as tc shows
them</a> · <a href="/-/healthy">health</a> · <a href="/-/ready">readiness</a></nav>
<p><label><input type="checkbox" id="live" checked> Update every second</label>
<span id="lost" class="bad" role="status"></span></p>
</header>
<main id="figures">
)";

constexpr std::string_view kTail = R"(</main>
<script>
const live = document.getElementById("live"), lost = document.getElementById("lost");
setInterval(async () => {
  if (!live.checked || document.hidden) return;
  try {
    const answer = await fetch("/", {signal: AbortSignal.timeout(3000)});
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById("figures").replaceWith(page.getElementById("figures"));
    lost.textContent = "";
  } catch { lost.textContent = "No answer from qdiscsimd: the figures are old."; }
}, 1000);
</script>
</body>
</html>
)";

void figure(std::string& out, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(out), "<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
}

void device_section(std::string& out, const DeviceSummary& device) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "<section>\n<h2>{}: {} link{}, {}</h2>\n<dl class=\"figures\">\n",
                 escape_html(device.name), escape_html(device.link),
                 device.link_bits_per_second == 0
                     ? std::string{}
                     : " at " + format_bit_rate(static_cast<double>(device.link_bits_per_second)),
                 count_of(device.queues, "tx queue"));
  figure(out, "sent", format_packet_rate(device.rates.delivered_pps));
  figure(out, "offered", format_packet_rate(device.rates.offered_pps));
  figure(out, "dropped", escape_html(format_percent(device.rates.drop_ratio)));
  figure(out, "on the link", format_bit_rate(device.rates.bits_per_second));
  fmt::format_to(
      to,
      "</dl>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Bands of "
      "{}\"><table>\n<caption>Bands (0 is sent first)</caption>\n<thead><tr>",
      escape_html(device.name));
  for (const std::string_view title :
       {"Band", "Offered", "Dropped", "Dropped packets", "Sent packets", "Backlog", "Limit"}) {
    fmt::format_to(to, "<th scope=\"col\">{}</th>", title);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < kBands; ++i) {
    const BandSummary& band = device.bands[i];
    fmt::format_to(to,
                   "<tr><th scope=\"row\">{}</th><td>{}</td><td{}>{}</td><td>{}</td><td>{}</td>"
                   "<td>{}</td><td>{}</td></tr>\n",
                   i, format_packet_rate(device.rates.band_offered_pps[i]),
                   device.rates.band_drop_ratio[i] > 0 ? " class=\"bad\"" : "",
                   escape_html(format_percent(device.rates.band_drop_ratio[i])),
                   format_count(band.dropped_overlimit + band.dropped_deactivated),
                   format_count(band.sent_packets), format_count(band.backlog_packets),
                   format_count(band.limit_packets));
  }
  out += "</tbody></table></div>\n</section>\n";
}

void generator_section(std::string& out, const Summary& summary) {
  auto to = std::back_inserter(out);
  out +=
      "<section>\n<h2>Generators</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Generators\"><table>\n<thead><tr>";
  for (const std::string_view title :
       {"Thread", "Device", "State", "Sent packets", "Errors", "Behind schedule"}) {
    fmt::format_to(to, "<th scope=\"col\">{}</th>", title);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const GeneratorSummary& generator : summary.generators) {
    fmt::format_to(to,
                   "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
                   "<td>{}</td></tr>\n",
                   escape_html(generator.name), escape_html(generator.device),
                   generator.running ? "running" : "at rest", format_count(generator.sent_packets),
                   format_count(generator.errors), format_duration(generator.behind_seconds));
  }
  out += "</tbody></table></div>\n</section>\n";
}

void pool_section(std::string& out, const Summary& summary) {
  auto to = std::back_inserter(out);
  out +=
      "<section>\n<h2>Page pools</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Page pools\"><table>\n<thead><tr>";
  for (const std::string_view title : {"Pool", "Pages held", "Served by recycling"}) {
    fmt::format_to(to, "<th scope=\"col\">{}</th>", title);
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const PoolSummary& pool : summary.pools) {
    fmt::format_to(to, "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                   escape_html(pool.name), format_count(pool.inflight_pages),
                   escape_html(format_percent(pool.recycled_ratio)));
  }
  out += "</tbody></table></div>\n</section>\n";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string render_web_page(const Summary& summary) {
  std::string out{kHead};
  fmt::format_to(std::back_inserter(out), "<p>qdiscsimd {}, {}.", kVersion,
                 phase_name(summary.phase));
  if (summary.account_violations > 0) {
    fmt::format_to(std::back_inserter(out),
                   " <strong class=\"bad\">{} of the accounts failed: this is a bug.</strong>",
                   count_of(summary.account_violations, "check"));
  }
  out += "</p>\n";
  for (const DeviceSummary& device : summary.devices) device_section(out, device);
  if (!summary.generators.empty()) generator_section(out, summary);
  if (!summary.pools.empty()) pool_section(out, summary);
  return out.append(kTail);
}

}  // namespace qdiscsim
