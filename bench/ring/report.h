// What a comparison, or a few runs, look like when they are printed. Pure functions of plain
// values, so that the same values always give the same text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/ring/compare.h"
#include "bench/ring/machine.h"
#include "bench/ring/options.h"

namespace qdiscsim::ring_bench {

// Where and how the figures came about.
struct Circumstances {
  std::string date;  // "2026-01-31 13:37:00 UTC"
  Machine machine;
  Build build;
  Load before;
  Load after;
  Disturbance disturbance;
  std::string counters_missing;  // why; empty when cycles and instructions were counted
};

// All rounds of one setting.
struct Block {
  Setting setting;
  Measured measured;
  Judged judged;
};

// One run of `ring_bench run`.
struct Single {
  const Setting* setting = nullptr;
  const Variant* variant = nullptr;
  Run run;
};

// "mode mpsc: 2,000,000 items, capacity 1024, ..."; what the settings have in common.
std::string describe_workload(const Options& options);
std::string describe_pinning(const Options& options);

inline constexpr const char* kLongestStall = "longest stall us";

// Further figures of a run, in the order to print: the mode's own, the longest stall when there was
// one, and what the processor counted, for each item.
std::vector<std::pair<std::string, double>> further_figures(const Run& run);

// Name and value of each line above the tables.
std::vector<std::pair<std::string, std::string>> header(const Options& options,
                                                        const Circumstances& circumstances);
// What a reader must not overlook; empty when all is well.
std::vector<std::string> warnings(const Circumstances& circumstances,
                                  const std::vector<Block>& blocks);

// options.format decides between text and Markdown.
std::string report_text(const Options& options, const Circumstances& circumstances,
                        const std::vector<Block>& blocks);
nlohmann::ordered_json report_json(const Options& options, const Circumstances& circumstances,
                                   const std::vector<Block>& blocks);

std::string single_line(const Options& options, const Single& single);
std::string singles_markdown(const Options& options, const std::vector<Single>& singles);
nlohmann::ordered_json singles_json(const Options& options, const Circumstances& circumstances,
                                    const std::vector<Single>& singles);

std::string list_text(const Registry& registry);
nlohmann::ordered_json list_json(const Registry& registry);

}  // namespace qdiscsim::ring_bench
