#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/ring/report.h"
#include "bench/ring/report_table.h"

namespace qdiscsim::ring_bench {
namespace {

constexpr const char* kControl = "A/A control";

std::string p_value(double p) {
  return p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p);
}

std::string interval_text(const Interval& interval) {
  return figure(interval.low) + " .. " + figure(interval.high);
}

std::string print(const Table& table, Format format) {
  return format == Format::kMarkdown ? table.markdown() : table.text();
}

void add_row(Table& table, const Judgement& judgement, const std::string& name) {
  std::vector<std::string> cells{name, std::to_string(judgement.n)};
  if (judgement.n == 0) {
    cells.resize(8, "-");
  } else {
    cells.insert(cells.end(), {figure(judgement.median), figure(judgement.spread)});
    if (judgement.verdict == Verdict::kBase) {
      cells.insert(cells.end(), {"1", "", "", ""});
    } else {
      cells.insert(cells.end(),
                   {figure(judgement.ratio), interval_text(judgement.interval),
                    p_value(judgement.p), fmt::format("{:+.2f}", judgement.test.delta)});
    }
  }
  cells.emplace_back(to_string(judgement.verdict));
  table.add(std::move(cells));
}

std::string verdict_table(const Options& options, const Judged& judged) {
  Table table{{"ring", "n", "M " + options.mode->item + "/s", "MAD", "ratio", "95 % CI", "p",
               "delta", "verdict"},
              "lrrrrrrrl"};
  for (const Judgement& judgement : judged.variants) add_row(table, judgement, judgement.name);
  add_row(table, judged.control, kControl);
  return print(table, options.format);
}

// Names of figures in the order in which they first came, each with its values.
class Figures {
 public:
  explicit Figures(const Series& series) {
    for (const Run& run : series.runs) {
      for (const auto& [name, value] : further_figures(run)) {
        values_[name].push_back(value);
      }
    }
  }
  std::string median_of(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "-" : figure(median(found->second));
  }

 private:
  std::map<std::string, std::vector<double>> values_;
};

void collect_names(std::vector<std::string>& names, const Series& series) {
  for (const Run& run : series.runs) {
    for (const auto& [name, value] : further_figures(run)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
}

double worst_stall_us(const Series& series) {
  Nanoseconds worst = 0;
  for (const Run& run : series.runs) worst = std::max(worst, run.outcome.longest_stall);
  return static_cast<double>(worst) / 1e3;
}

// A column of figures beside the names of the rings.
struct Column {
  std::string title;
  std::vector<std::string> cells;

  std::size_t width() const {
    std::size_t widest = title.size();
    for (const std::string& cell : cells) widest = std::max(widest, cell.size());
    return widest + 3;
  }
};

// As many tables as it takes to keep each within the width; the names stand in front of each.
std::string print_columns(const Column& names, const std::vector<Column>& columns, Format format) {
  std::string out;
  for (std::size_t first = 0; first < columns.size();) {
    std::size_t width = names.width() + columns[first].width();
    std::size_t end = first + 1;
    while (end < columns.size() && width + columns[end].width() < kReportWidth) {
      width += columns[end++].width();
    }
    std::vector<std::string> titles{names.title};
    for (std::size_t i = first; i < end; ++i) titles.push_back(columns[i].title);
    Table table{titles, "l" + std::string(end - first, 'r')};
    for (std::size_t row = 0; row < names.cells.size(); ++row) {
      std::vector<std::string> cells{names.cells[row]};
      for (std::size_t i = first; i < end; ++i) cells.push_back(columns[i].cells[row]);
      table.add(std::move(cells));
    }
    out += (out.empty() ? "" : "\n") + print(table, format);
    first = end;
  }
  return out;
}

// Range of the rate, medians of everything else, and the longest of all stalls.
std::string figures_table(const Options& options, const Block& block) {
  const std::vector<Series>& all = block.measured.series;
  std::vector<std::string> figure_names;
  Column names{"ring", {}};
  Column range{"min .. max", {}};
  Column worst{"at most", {}};
  std::vector<Figures> figures;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool control = i + 1 == all.size();
    const Judgement& judgement = control ? block.judged.control : block.judged.variants[i];
    collect_names(figure_names, all[i]);
    figures.emplace_back(all[i]);
    names.cells.push_back(control ? kControl : all[i].name);
    range.cells.push_back(
        judgement.n == 0 ? "-" : figure(judgement.least) + " .. " + figure(judgement.most));
    worst.cells.push_back(figure(worst_stall_us(all[i])));
  }
  std::vector<Column> columns{range};
  for (const std::string& name : figure_names) {
    Column column{name, {}};
    for (const Figures& of_ring : figures) column.cells.push_back(of_ring.median_of(name));
    columns.push_back(std::move(column));
    if (name == kLongestStall) columns.push_back(worst);
  }
  return print_columns(names, columns, options.format);
}

std::string block_title(const Options& options, const Block& block) {
  const Measured& measured = block.measured;
  std::string title = block.setting.label;
  if (!title.empty()) title += ": ";
  title += fmt::format("{} round{} in {:.1f} s, order by seed {}", measured.rounds,
                       measured.rounds == 1 ? "" : "s", static_cast<double>(measured.elapsed) / 1e9,
                       options.rules.seed);
  if (!measured.precise) {
    title += fmt::format("; not every ratio is known to {:.3g} %", options.rules.precision * 100);
  }
  return title;
}

constexpr const char* kMethod =
    "The rate is the median, MAD its median absolute deviation. ratio: median of the ratios to the "
    "first ring within each round, with the interval of its "
    "order statistics. p: Mann-Whitney, two-sided, Holm-corrected. delta: Cliff's. A verdict needs "
    "p < 0.05, an interval without 1, and a ratio beyond what the A/A control's interval reaches.";

}  // namespace

std::string report_text(const Options& options, const Circumstances& at,
                        const std::vector<Block>& blocks) {
  const bool markdown = options.format == Format::kMarkdown;
  std::string out;
  for (const std::string& warning : warnings(at, blocks)) {
    out += wrap("WARNING: " + warning + ".", kReportWidth, "  ");
  }
  if (!out.empty()) out += "\n";
  for (const Block& block : blocks) {
    out += wrap(block_title(options, block), kReportWidth, "  ") + "\n";
    out += verdict_table(options, block.judged) + "\n";
    out += figures_table(options, block) + "\n";
  }
  for (const auto& [name, value] : header(options, at)) {
    out += wrap((markdown ? "- " : "") + name + ": " + value, kReportWidth, "  ");
  }
  return out + "\n" + wrap(kMethod, kReportWidth, "");
}

}  // namespace qdiscsim::ring_bench
