#include "bench/ring/report.h"

namespace qdiscsim::ring_bench {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Params& params) {
  return {{"count", params.count},
          {"size", params.size},
          {"producers", params.producers},
          {"burst", params.burst},
          {"pop", params.pop},
          {"cpus", params.cpus},
          {"seed", params.seed},
          {"time_limit_seconds", static_cast<double>(params.time_limit) / 1e9},
          {"outstanding", params.outstanding},
          {"sleep", params.sleep},
          {"batch", params.batch},
          {"delayed_interrupt", params.delayed},
          {"event_index", params.event_index},
          {"notify_always", params.notify_always},
          {"reset_every", params.reset_every}};
}

ordered_json json_of(const Run& run) {
  const Outcome& outcome = run.outcome;
  ordered_json out{{"items", outcome.items},
                   {"seconds", outcome.seconds},
                   {"mega_per_second", outcome.mega_per_second()}};
  if (outcome.longest_stall > 0) out["longest_stall_ns"] = outcome.longest_stall;
  for (const auto& [name, value] : outcome.figures) out["figures"][name] = value;
  if (run.counts) {
    out["cycles"] = run.counts->cycles;
    out["instructions"] = run.counts->instructions;
    out["branches"] = run.counts->branches;
    out["branch_misses"] = run.counts->branch_misses;
  }
  if (!outcome.error.empty()) out["error"] = outcome.error;
  return out;
}

// Infinite bounds become null.
ordered_json json_of(const Judgement& judgement) {
  ordered_json out{{"n", judgement.n},
                   {"median", judgement.median},
                   {"mad", judgement.spread},
                   {"min", judgement.least},
                   {"max", judgement.most}};
  if (judgement.verdict != Verdict::kBase) {
    out["ratio"] = judgement.ratio;
    out["interval"] = {judgement.interval.low, judgement.interval.high};
    out["u"] = judgement.test.u;
    out["p_uncorrected"] = judgement.test.p;
    out["p"] = judgement.p;
    out["cliffs_delta"] = judgement.test.delta;
  }
  out["verdict"] = to_string(judgement.verdict);
  if (!judgement.error.empty()) out["error"] = judgement.error;
  return out;
}

ordered_json series_json(const std::string& name, const Judgement& judgement,
                         const Series& series) {
  ordered_json out{{"name", name}};
  out.update(json_of(judgement));
  out["runs"] = ordered_json::array();
  for (const Run& run : series.runs) out["runs"].push_back(json_of(run));
  return out;
}

ordered_json block_json(const Block& block) {
  const Measured& measured = block.measured;
  ordered_json out{{"setting", block.setting.label},
                   {"params", json_of(block.setting.params)},
                   {"rounds", measured.rounds},
                   {"seconds", static_cast<double>(measured.elapsed) / 1e9},
                   {"precise", measured.precise},
                   {"interrupted", measured.stopped},
                   {"control_shows_a_difference", block.judged.noisy}};
  for (std::size_t i = 0; i < block.judged.variants.size(); ++i) {
    out["rings"].push_back(
        series_json(measured.series[i].name, block.judged.variants[i], measured.series[i]));
  }
  out["control"] = series_json("A/A control", block.judged.control, measured.series.back());
  return out;
}

ordered_json json_of(const Circumstances& at) {
  const Machine& machine = at.machine;
  ordered_json out{{"date", at.date},
                   {"commit", at.build.commit},
                   {"compiler", at.build.compiler},
                   {"flags", at.build.flags},
                   {"cpu", machine.cpu},
                   {"virtual_machine", machine.virtualised},
                   {"cpus_online", machine.online},
                   {"cpus_allowed", machine.allowed},
                   {"cores", machine.cores},
                   {"memory_bytes", machine.memory_bytes},
                   {"kernel", machine.kernel},
                   {"governor", machine.governor}};
  out["vulnerabilities"] = ordered_json::object();
  for (const auto& [name, state] : machine.vulnerabilities) out["vulnerabilities"][name] = state;
  out["load_average_before"] = at.before.average;
  out["load_average_after"] = at.after.average;
  out["cpu_share_of_other_processes"] = at.disturbance.others;
  out["cpu_share_stolen"] = at.disturbance.stolen;
  out["hardware_counters_missing"] = at.counters_missing;
  return out;
}

ordered_json start(const Options& options, const Circumstances& at) {
  return {{"command", options.command_line},
          {"mode", options.mode->name},
          {"item", options.mode->item},
          {"pinning", describe_pinning(options)},
          {"machine", json_of(at)}};
}

}  // namespace

ordered_json report_json(const Options& options, const Circumstances& at,
                         const std::vector<Block>& blocks) {
  ordered_json out = start(options, at);
  out["rules"] = {{"least_rounds", options.rules.least_rounds},
                  {"most_rounds", options.rules.most_rounds},
                  {"most_seconds", static_cast<double>(options.rules.most_time) / 1e9},
                  {"precision", options.rules.precision},
                  {"seed", options.rules.seed}};
  out["warnings"] = warnings(at, blocks);
  out["settings"] = ordered_json::array();
  for (const Block& block : blocks) out["settings"].push_back(block_json(block));
  return out;
}

ordered_json singles_json(const Options& options, const Circumstances& at,
                          const std::vector<Single>& singles) {
  ordered_json out = start(options, at);
  out["runs"] = ordered_json::array();
  for (const Single& single : singles) {
    ordered_json run{{"ring", single.variant->name},
                     {"setting", single.setting->label},
                     {"params", json_of(single.setting->params)}};
    run.update(json_of(single.run));
    out["runs"].push_back(std::move(run));
  }
  return out;
}

ordered_json list_json(const Registry& registry) {
  ordered_json out = {{"modes", ordered_json::array()}, {"missing", registry.missing}};
  ordered_json& modes = out["modes"];
  for (const Mode& mode : registry.modes()) {
    ordered_json rings = ordered_json::array();
    for (const Variant& variant : mode.variants) {
      rings.push_back({{"name", variant.name}, {"about", variant.about}});
    }
    modes.push_back({{"number", modes.size()},
                     {"name", mode.name},
                     {"about", mode.about},
                     {"item", mode.item},
                     {"rings", rings}});
  }
  return out;
}

}  // namespace qdiscsim::ring_bench
