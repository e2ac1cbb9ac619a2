#include "bench/ring/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/prng.h"

namespace qdiscsim::ring_bench {
namespace {

constexpr double kSignificant = 0.05;

void shuffle(std::vector<std::size_t>& order, Prng& random) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
}

std::vector<double> ratios(const Series& series, const Series& base) {
  std::vector<double> result;
  const std::size_t n = std::min(series.runs.size(), base.runs.size());
  for (std::size_t i = 0; i < n; ++i) {
    result.push_back(series.runs[i].outcome.mega_per_second() /
                     base.runs[i].outcome.mega_per_second());
  }
  return result;
}

bool narrow(const Measured& measured, double precision) {
  for (std::size_t i = 1; i < measured.series.size(); ++i) {
    const Series& series = measured.series[i];
    if (!series.error.empty()) continue;
    const std::vector<double> all = ratios(series, measured.series[0]);
    const Interval interval = median_interval(all);
    if (!((interval.high - interval.low) / 2 <= precision * median(all))) return false;
  }
  return true;
}

// Runs the contenders in turn and keeps what belongs together.
class Rounds {
 public:
  Rounds(const std::vector<Contender>& contenders, const Rules& rules, const Hooks& hooks)
      : rules_{rules}, hooks_{hooks}, random_{rules.seed}, contenders_{contenders} {
    contenders_.push_back({contenders.front().name + " again", contenders.front().run});
    for (const Contender& contender : contenders_) {
      measured_.series.push_back({contender.name, {}, {}});
    }
    order_.resize(contenders_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  Measured go() {
    warm_up();
    const Nanoseconds start = hooks_.now();
    while (!done(hooks_.now() - start) && round()) {
    }
    measured_.elapsed = hooks_.now() - start;
    measured_.precise = measured_.rounds > 0 && narrow(measured_, rules_.precision);
    return std::move(measured_);
  }

 private:
  bool base_failed() const { return !measured_.series[0].error.empty(); }

  bool done(Nanoseconds elapsed) const {
    if (measured_.stopped || base_failed()) return true;
    if (measured_.rounds < rules_.least_rounds) return false;
    return measured_.rounds >= rules_.most_rounds || elapsed >= rules_.most_time ||
           narrow(measured_, rules_.precision);
  }

  // Fills caches, maps pages, wakes the clock of the processor. The control is the base: once is
  // enough.
  void warm_up() {
    order_.pop_back();
    (void)one_round(0);
    order_.push_back(contenders_.size() - 1);
  }

  bool round() {
    shuffle(order_, random_);
    auto runs = one_round(measured_.rounds + 1);
    if (measured_.stopped || base_failed()) return false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (measured_.series[i].error.empty()) measured_.series[i].runs.push_back(std::move(runs[i]));
    }
    ++measured_.rounds;
    return true;
  }

  std::vector<Run> one_round(std::size_t number) {
    std::vector<Run> runs(contenders_.size());
    std::size_t at = 0;
    for (const std::size_t who : order_) {
      Series& series = measured_.series[who];
      if (!series.error.empty()) continue;
      if (hooks_.stop()) {
        measured_.stopped = true;
        return runs;
      }
      hooks_.before_run({number, at++, order_.size(), &series.name});
      runs[who] = contenders_[who].run();
      if (runs[who].interrupted) {
        measured_.stopped = true;
        return runs;
      }
      const Outcome& outcome = runs[who].outcome;
      series.error = outcome.error;
      if (series.error.empty() && !(outcome.mega_per_second() > 0)) {
        series.error = "it measured nothing: no items or no time";
      }
      // The control is the base under another name: its failure is the base's.
      if (who + 1 == contenders_.size()) measured_.series[0].error = series.error;
      if (base_failed()) return runs;
    }
    return runs;
  }

  const Rules& rules_;
  const Hooks& hooks_;
  Prng random_;
  std::vector<Contender> contenders_;
  std::vector<std::size_t> order_;
  Measured measured_;
};

Judgement describe(const Series& series, const Series& base) {
  Judgement judgement;
  judgement.name = series.name;
  judgement.n = series.runs.size();
  judgement.error = series.error;
  if (judgement.n == 0) return judgement;
  const std::vector<double> rates = series.rates();
  judgement.median = median(rates);
  judgement.spread = mad(rates);
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  judgement.least = *least;
  judgement.most = *most;
  if (&series == &base) return judgement;
  const std::vector<double> all = ratios(series, base);
  judgement.ratio = median(all);
  judgement.interval = median_interval(all);
  judgement.test = mann_whitney(base.rates(), rates);
  judgement.p = judgement.test.p;
  return judgement;
}

double distance(double ratio) {
  return ratio > 0 ? std::abs(std::log(ratio)) : INFINITY;
}

Verdict verdict_of(const Judgement& judgement, double stray) {
  if (!judgement.error.empty()) return Verdict::kFailed;
  if (judgement.n < kLeastRounds || !(judgement.p < kSignificant) ||
      judgement.interval.contains(1) || distance(judgement.ratio) <= stray) {
    return Verdict::kNone;
  }
  return judgement.ratio > 1 ? Verdict::kFaster : Verdict::kSlower;
}

}  // namespace

std::vector<double> Series::rates() const {
  std::vector<double> result;
  result.reserve(runs.size());
  for (const Run& run : runs) result.push_back(run.outcome.mega_per_second());
  return result;
}

Measured measure(const std::vector<Contender>& contenders, const Rules& rules, const Hooks& hooks) {
  return Rounds{contenders, rules, hooks}.go();
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBase:
      return "base";
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kNone:
      break;
  }
  return "no difference shown";
}

Judged judge(const Measured& measured) {
  Judged judged;
  const Series& base = measured.series.front();
  judged.few = measured.rounds < kLeastRounds;
  judged.control = describe(measured.series.back(), base);
  judged.control.verdict = verdict_of(judged.control, 0);
  judged.noisy =
      judged.control.verdict == Verdict::kFaster || judged.control.verdict == Verdict::kSlower;
  const double stray =
      std::max(distance(judged.control.interval.low), distance(judged.control.interval.high));
  judged.stray = std::expm1(stray);

  std::vector<double> p;
  for (std::size_t i = 0; i + 1 < measured.series.size(); ++i) {
    judged.variants.push_back(describe(measured.series[i], base));
    if (i > 0) p.push_back(judged.variants[i].p);
  }
  p = holm(p);
  Judgement& first = judged.variants[0];
  first.verdict = first.error.empty() ? Verdict::kBase : Verdict::kFailed;
  for (std::size_t i = 1; i < judged.variants.size(); ++i) {
    judged.variants[i].p = p[i - 1];
    judged.variants[i].verdict = verdict_of(judged.variants[i], stray);
  }
  return judged;
}

}  // namespace qdiscsim::ring_bench
