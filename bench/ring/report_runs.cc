#include <fmt/format.h>

#include <algorithm>

#include "bench/ring/report.h"
#include "bench/ring/report_table.h"

namespace qdiscsim::ring_bench {

std::vector<std::pair<std::string, double>> further_figures(const Run& run) {
  std::vector<std::pair<std::string, double>> figures = run.outcome.figures;
  if (run.outcome.longest_stall > 0) {
    figures.emplace_back(kLongestStall, static_cast<double>(run.outcome.longest_stall) / 1e3);
  }
  if (run.counts && run.outcome.items > 0) {
    const auto items = static_cast<double>(run.outcome.items);
    figures.emplace_back("cycles/item", run.counts->cycles / items);
    figures.emplace_back("instr./item", run.counts->instructions / items);
    figures.emplace_back("branches/item", run.counts->branches / items);
    figures.emplace_back("misses/item", run.counts->branch_misses / items);
  }
  return figures;
}

std::string single_line(const Options& options, const Single& single) {
  const Outcome& outcome = single.run.outcome;
  std::string line = options.mode->name + " " + single.variant->name;
  if (!single.setting->label.empty()) line += " (" + single.setting->label + ")";
  line += fmt::format(": {} M {}/s, {} {} in {:.6f} s", figure(outcome.mega_per_second()),
                      options.mode->item, count(static_cast<double>(outcome.items)),
                      options.mode->item, outcome.seconds);
  for (const auto& [name, value] : further_figures(single.run)) {
    line += fmt::format(", {} {}", name, figure(value));
  }
  return line + "\n";
}

std::string singles_markdown(const Options& options, const std::vector<Single>& singles) {
  std::vector<std::string> names;
  for (const Single& single : singles) {
    for (const auto& [name, value] : further_figures(single.run)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<std::string> titles{"ring", "setting", "M " + options.mode->item + "/s"};
  titles.insert(titles.end(), names.begin(), names.end());
  Table table{titles, "ll" + std::string(titles.size() - 2, 'r')};
  for (const Single& single : singles) {
    std::vector<std::string> cells{single.variant->name, single.setting->label,
                                   figure(single.run.outcome.mega_per_second())};
    const auto figures = further_figures(single.run);
    for (const std::string& name : names) {
      const auto found = std::find_if(figures.begin(), figures.end(),
                                      [&](const auto& entry) { return entry.first == name; });
      cells.push_back(found == figures.end() ? "-" : figure(found->second));
    }
    table.add(std::move(cells));
  }
  return wrap(describe_workload(options) + ", " + describe_pinning(options), kReportWidth, "  ") +
         "\n" + table.markdown();
}

std::string list_text(const Registry& registry) {
  std::string out;
  std::size_t number = 0;
  for (const Mode& mode : registry.modes()) {
    out += fmt::format("{}{}  {}: {}\n", out.empty() ? "" : "\n", number++, mode.name, mode.about);
    std::size_t width = 0;
    for (const Variant& variant : mode.variants) width = std::max(width, variant.name.size());
    for (const Variant& variant : mode.variants) {
      out += fmt::format("     {:<{}}  {}\n", variant.name, width, variant.about);
    }
    if (mode.variants.empty()) out += "     (nothing in this build)\n";
  }
  if (!registry.missing.empty()) out += "\nNot in this build:\n";
  for (const std::string& missing : registry.missing) out += "     " + missing + "\n";
  return out;
}

}  // namespace qdiscsim::ring_bench
