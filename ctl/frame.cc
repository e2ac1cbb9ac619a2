#include "ctl/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "ctl/figures.h"
#include "ctl/frame_tables.h"
#include "text/units.h"

namespace qdiscsim::ctl {
namespace {

constexpr std::size_t kWide = 160;
constexpr std::size_t kNoEnd = 10'000;

Line head_line(const FrameInput& in) {
  Line out{{"qdiscsim", Style::kBold}};
  if (in.summary) {
    const Summary& summary = *in.summary;
    out[0].text += ' ' + summary.version;
    out.push_back({"  " + summary.state, summary.state == "ready" ? Style::kGood : Style::kWarn});
    out.push_back({"  up " + uptime_text(summary.uptime_seconds)});
    out.push_back(
        summary.account_violations == 0
            ? Span{"  account ok"}
            : Span{fmt::format("  ACCOUNT VIOLATED {}x", summary.account_violations), Style::kBad});
    out.push_back(summary.last_reload_ok ? Span{fmt::format("  reloads {}", summary.reloads)}
                                         : Span{"  RELOAD REFUSED", Style::kBad});
  }
  if (in.paused) out.push_back({"  PAUSED", Style::kWarn});
  if (!in.summary) return out;
  const std::string clock = clock_text(in.summary->time);
  const std::size_t used = columns(out) + clock.size();
  if (used + 1 <= in.width) out.push_back({std::string(in.width - used, ' ') + clock});
  return out;
}

Line tabs_line(const Summary& summary, std::size_t chosen) {
  Line out;
  for (std::size_t i = 0; i < summary.devices.size(); ++i) {
    const std::string& name = summary.devices[i].name;
    out.push_back(i == chosen ? Span{'[' + name + ']', Style::kBold}
                              : Span{' ' + name + ' ', Style::kDim});
  }
  const Device& device = summary.devices[chosen];
  std::string link = "  " + device.link;
  if (device.link_bits_per_second) link += ' ' + format_bit_rate(*device.link_bits_per_second);
  out.push_back({link + ", " + count_of(device.queues, "queue")});
  if (!device.up) out.push_back({"  DOWN", Style::kBad});
  if (device.stopped_queues > 0) {
    out.push_back({fmt::format("  {} stopped", device.stopped_queues), Style::kWarn});
  }
  if (device.stuck_seconds > 0) {
    out.push_back({"  STUCK " + seconds_text(device.stuck_seconds), Style::kBad});
  }
  return out;
}

void add_totals(const Device& device, const FrameInput& in, std::vector<Line>& out) {
  const std::size_t bar_width = std::clamp<std::size_t>(in.width > 62 ? in.width - 62 : 4, 4, 60);
  const auto row = [&](const char* name, double pps, std::uint64_t packets, Style style) {
    const double ratio = device.offered_pps > 0 ? pps / device.offered_pps : 0;
    out.push_back({{fmt::format("{:<10}", name), Style::kTitle},
                   {fmt::format("{:>9} Mpps {:>7} {:>20} packets ", mpps_text(pps),
                                format_percent(ratio), format_count(packets))},
                   {bar(ratio, bar_width, in.utf8), style}});
  };
  row("offered", device.offered_pps, device.offered, Style::kGood);
  row("delivered", device.delivered_pps, device.delivered, Style::kGood);
  row("dropped", device.dropped_pps, device.dropped, Style::kBad);
}

Line keys_line(const FrameInput& in) {
  return {{fmt::format("q quit  space {}  tab device  s sort: {}  h help",
                       in.paused ? "go on" : "pause", order_name(in.order)),
           Style::kDim}};
}

std::vector<Line> help_lines() {
  constexpr const char* kText =
      "Keys\n"
      "  q, Ctrl-C        quit\n"
      "  space            pause and go on\n"
      "  tab, arrows      next, previous device\n"
      "  s                sort generators: name, rate, behind\n"
      "  h, ?             this page, and back\n"
      "\n"
      "Figures\n"
      "  Rates are of the last second, packets a second (k, M); counts since the start.\n"
      "  DROP% and the bars of delivered and dropped are parts of what was offered.\n"
      "  BACKLOG is packets in the band of its limit, over all queues of the device.\n"
      "  OVERLIMIT: found the band full. DEACTIVATED: came while the queue was down.\n"
      "  SOJOURN and latencies are since the start; - means nothing is recorded.\n"
      "  BEHIND: how late a generator is; red: this host cannot keep its rate.\n";
  std::vector<Line> out;
  std::string text = kText;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    out.push_back({{line, line.starts_with(' ') ? Style::kPlain : Style::kTitle}});
    begin = end + 1;
  }
  return out;
}

void append_lines(std::vector<Line>& to, std::vector<Line> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Generators get what page_pools leave, and each at least a title and two rows where there is room.
void add_tables(const FrameInput& in, const Device& device, std::size_t height,
                std::vector<Line>& out) {
  const bool wide = in.width >= kWide;
  std::vector<std::vector<Line>> parts;
  parts.push_back(bands_table(device, in.width, in.utf8, wide).lines(kNoEnd));
  if (!wide) parts.push_back(sojourn_table(device).lines(kNoEnd));
  std::size_t fixed = out.size();
  for (const auto& part : parts) fixed += part.size();
  const std::size_t room = height > fixed ? height - fixed : 0;
  const Columns pools = pools_table(*in.summary, wide);
  const Columns generators = generators_table(*in.summary, in.order, wide);
  const std::size_t of_generators =
      std::min(generators.rows() + 1,
               std::max(room / 2, room > pools.rows() + 1 ? room - pools.rows() - 1 : 0));
  std::size_t of_pools = std::min(pools.rows() + 1, room - of_generators);
  parts.push_back(pools.rows() == 0 ? std::vector<Line>{} : pools.lines(of_pools));
  parts.push_back(generators.rows() == 0 ? std::vector<Line>{} : generators.lines(of_generators));
  std::size_t spare = height > out.size() ? height - out.size() : 0;
  for (const auto& part : parts) spare -= std::min(spare, part.size());
  for (auto& part : parts) {
    if (part.empty()) continue;
    if (spare > 0) {
      out.emplace_back();
      --spare;
    }
    append_lines(out, std::move(part));
  }
}

}  // namespace

std::string_view order_name(Order order) noexcept {
  switch (order) {
    case Order::kName:
      return "name";
    case Order::kRate:
      return "rate";
    case Order::kBehind:
      return "behind";
  }
  return {};
}

Order next_order(Order order) noexcept {
  switch (order) {
    case Order::kName:
      return Order::kRate;
    case Order::kRate:
      return Order::kBehind;
    case Order::kBehind:
      return Order::kName;
  }
  return Order::kName;
}

std::vector<Line> draw(const FrameInput& in) {
  const bool batch = in.height == 0;
  const std::size_t height = batch ? kNoEnd : in.height - 1;  // without the line of keys
  std::vector<Line> out{head_line(in)};
  if (!in.lost.empty()) out.push_back({{"LOST: " + in.lost, Style::kBad}});
  if (in.help) {
    append_lines(out, help_lines());
  } else if (!in.summary) {
    out.push_back({{"asking " + in.address + " ...", Style::kDim}});
  } else if (in.summary->devices.empty()) {
    out.push_back({{"the configuration has no device", Style::kWarn}});
  } else {
    const std::size_t last = in.summary->devices.size() - 1;
    for (std::size_t i = batch ? 0 : std::min(in.device, last);; ++i) {
      const Device& device = in.summary->devices[i];
      out.push_back(tabs_line(*in.summary, i));
      add_totals(device, in, out);
      if (!batch) {
        add_tables(in, device, height, out);
        break;
      }
      append_lines(out, bands_table(device, in.width, in.utf8, in.width >= kWide).lines(kNoEnd));
      if (in.width < kWide) append_lines(out, sojourn_table(device).lines(kNoEnd));
      out.emplace_back();
      if (i == last) break;
    }
    if (batch) {
      append_lines(out, pools_table(*in.summary, in.width >= kWide).lines(kNoEnd));
      append_lines(out, generators_table(*in.summary, in.order, in.width >= kWide).lines(kNoEnd));
    }
  }
  if (out.size() > height) out.resize(height);
  if (!batch) {
    out.resize(height);
    out.push_back(keys_line(in));
  }
  for (Line& line : out) line = fitted(line, in.width);
  return out;
}

std::string plain(const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) out += plain(line) + '\n';
  return out;
}

}  // namespace qdiscsim::ctl
