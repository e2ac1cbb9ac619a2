#include "ctl/frame_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "ctl/figures.h"
#include "text/units.h"

namespace qdiscsim::ctl {
namespace {

using Column = Columns::Column;

const std::vector<Column> kLatencyColumns{{"MEAN", 7}, {"P50", 7},   {"P90", 7},
                                          {"P99", 7},  {"P99.9", 7}, {"MAX", 7}};

void add_latency(std::vector<Cell>& cells, const std::optional<Latency>& latency) {
  if (!latency || latency->count == 0) {
    for (std::size_t i = 0; i < kLatencyColumns.size(); ++i) cells.push_back({"-", Style::kDim});
    return;
  }
  for (const double value :
       {latency->mean, latency->p50, latency->p90, latency->p99, latency->p999, latency->max}) {
    cells.push_back({seconds_text(value)});
  }
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Style when(bool condition, Style style) {
  return condition ? style : Style::kPlain;
}

// Short names for the columns of 80: a path of page_pool.
std::string path_title(const std::string& path) {
  if (path == "slow_high_order") return "HIGH";
  if (path == "released_refcnt") return "REFCNT";
  if (path == "cache_full") return "C.FULL";
  if (path == "ring_full") return "R.FULL";
  std::string out = path;
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

}  // namespace

Columns bands_table(const Device& device, std::size_t width, bool utf8, bool wide) {
  std::vector<Column> titles{{"BAND", 4},  {"OFFERED", 8},    {"SENT", 8},     {"DROPPED", 8},
                             {"DROP%", 6}, {"OVERLIMIT", 13}, {"BACKLOG", 11}, {"", 0}};
  if (wide) {
    titles.insert(titles.begin() + 6, {"DEACTIVATED", 11});
    append(titles, kLatencyColumns);
  }
  // All columns but the bar, with the blanks between.
  std::size_t used = 0;
  for (const Column& column : titles) used += std::max(column.least, column.title.size()) + 1;
  const std::size_t bar_width = std::clamp<std::size_t>(width > used ? width - used : 0, 4, 60);
  Columns out{titles, 1};
  for (std::size_t i = 0; i < device.bands.size(); ++i) {
    const Band& band = device.bands[i];
    const double fill =
        band.limit == 0 ? 0 : static_cast<double>(band.backlog) / static_cast<double>(band.limit);
    const Style dropping = when(band.dropped_pps > 0, Style::kBad);
    std::vector<Cell> cells{{std::to_string(i)},
                            {per_second_text(band.offered_pps)},
                            {per_second_text(band.sent_pps)},
                            {per_second_text(band.dropped_pps), dropping},
                            {format_percent(band.drop_ratio), dropping},
                            {format_count(band.dropped_overlimit)},
                            {fmt::format("{}/{}", band.backlog, band.limit)},
                            {bar(fill, bar_width, utf8), fill > 0.8 ? Style::kWarn : Style::kGood}};
    if (wide) {
      cells.insert(cells.begin() + 6, Cell{format_count(band.dropped_deactivated)});
      add_latency(cells, band.sojourn);
    }
    out.add(std::move(cells));
  }
  return out;
}

Columns sojourn_table(const Device& device) {
  std::vector<Column> titles{{"SOJOURN", 8}};
  append(titles, kLatencyColumns);
  Columns out{titles, 1};
  for (std::size_t i = 0; i < device.bands.size(); ++i) {
    std::vector<Cell> cells{{fmt::format("band {}", i)}};
    add_latency(cells, device.bands[i].sojourn);
    out.add(std::move(cells));
  }
  return out;
}

// In a narrow frame a pool is two rows of five columns or six, in a wide one a row.
Columns pools_table(const Summary& summary, bool wide) {
  std::vector<Column> titles{{"PAGE_POOL", 12}};
  if (wide) append(titles, {{"INFLIGHT", 8}, {"RECYCLED", 8}, {"CACHE", 5}, {"RING", 11}});
  if (summary.pools.empty()) return Columns{titles, 1};
  const PagePool& shape = summary.pools.front();
  for (const auto& [path, rate] : shape.alloc_pps) titles.push_back({path_title(path), 7});
  for (const auto& [path, rate] : shape.recycle_pps) {
    // The narrow frame has no room for what is hardly ever seen.
    if (wide || path == "cached" || path == "ring" || path == "ring_full") {
      titles.push_back({path == "ring" ? "TO RING" : path_title(path), wide ? 7U : 6U});
    }
  }
  if (!wide) {
    std::erase_if(titles, [](const Column& column) {
      return column.title == "HIGH" || column.title == "WAIVE";
    });
  }
  Columns out{titles, 1};
  for (const PagePool& pool : summary.pools) {
    std::vector<Cell> cells{{pool.name}};
    if (wide) {
      append(cells, {{fmt::format("{}", pool.inflight)},
                     {format_percent(pool.recycled_ratio)},
                     {fmt::format("{}", pool.cache)},
                     {fmt::format("{}/{}", pool.ring, pool.ring_capacity)}});
    }
    for (const auto& [path, rate] : pool.alloc_pps) {
      if (!wide && (path == "slow_high_order" || path == "waive")) continue;
      cells.push_back({per_second_text(rate), when(path == "empty" && rate > 0, Style::kBad)});
    }
    for (const auto& [path, rate] : pool.recycle_pps) {
      if (wide || path == "cached" || path == "ring" || path == "ring_full") {
        cells.push_back({per_second_text(rate)});
      }
    }
    // A pool of another shape cannot be: one daemon, one list of paths.
    cells.resize(titles.size());
    out.add(std::move(cells));
  }
  return out;
}

Columns generators_table(const Summary& summary, Order order, bool wide) {
  std::vector<Generator> sorted = summary.generators;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Generator& a, const Generator& b) {
    if (order == Order::kRate) return a.rate_pps > b.rate_pps;
    if (order == Order::kBehind) return a.behind_seconds > b.behind_seconds;
    return a.name < b.name;
  });
  std::vector<Column> titles{{"GENERATOR", 12}, {"DEVICE", 6}, {"RATE", 8},
                             {"WANTED", 8},     {"BEHIND", 7}, {"ERRORS", 9}};
  if (wide) {
    titles.insert(titles.begin() + 2, {"STATE", 7});
    titles.push_back({"SENT", 15});
    append(titles, kLatencyColumns);
  } else {
    append(titles, {{"P50", 7}, {"P99", 7}});
  }
  Columns out{titles, wide ? 3U : 2U};
  for (const Generator& generator : sorted) {
    const Style life = generator.running ? Style::kPlain : Style::kDim;
    std::vector<Cell> cells{
        {generator.name, life},
        {generator.device, life},
        {generator.running ? per_second_text(generator.rate_pps) : "stopped", life},
        {generator.configured_pps ? per_second_text(*generator.configured_pps) : "-"},
        {seconds_text(generator.behind_seconds), lags(generator) ? Style::kBad : Style::kPlain},
        {format_count(generator.errors)}};
    if (wide) {
      cells[2].text = per_second_text(generator.rate_pps);
      cells.insert(cells.begin() + 2, Cell{generator.running ? "running" : "stopped", life});
      cells.push_back({format_count(generator.sent)});
      add_latency(cells, generator.latency);
    } else {
      std::vector<Cell> latency;
      add_latency(latency, generator.latency);
      cells.push_back(latency[1]);
      cells.push_back(latency[3]);
    }
    out.add(std::move(cells));
  }
  return out;
}

}  // namespace qdiscsim::ctl
