// Variants measured side by side, and what may be concluded from it.
//
// A round runs each variant once, in an order shuffled anew by the seed, so that whatever disturbs
// the machine disturbs all alike. The first variant, the base, runs twice in every round, the
// second time as the A/A control: what the control shows is what this machine shows without any
// cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/ring/params.h"
#include "bench/ring/statistics.h"

namespace qdiscsim::ring_bench {

inline constexpr std::size_t kLeastRounds = 9;  // fewer never give a verdict

// What the processor counted, in user space, over a whole run with its set-up.
struct Counts {
  double cycles = 0;
  double instructions = 0;
  double branches = 0;
  double branch_misses = 0;
};

struct Run {
  Outcome outcome;
  std::optional<Counts> counts;
  bool interrupted = false;  // ended early because somebody asked to: means nothing
};

struct Rules {
  std::size_t least_rounds = kLeastRounds;
  std::size_t most_rounds = 100;
  Nanoseconds most_time = 120 * kSecond;  // no further round after this, once the least are done
  double precision = 0.01;                // of each ratio: half of the interval's width
  std::uint64_t seed = 1;
};

struct Contender {
  std::string name;
  std::function<Run()> run;
};

// Raw values. After a variant has failed it is left out; its runs before that are kept.
struct Series {
  std::string name;
  std::vector<Run> runs;  // one a round, in the order of the rounds
  std::string error;      // of the run that failed; empty: none did

  std::vector<double> rates() const;  // millions of items a second
};

struct Measured {
  std::vector<Series> series;  // as the contenders came; the A/A control last
  std::size_t rounds = 0;      // whole ones
  Nanoseconds elapsed = 0;
  bool precise = false;  // every ratio is known to rules.precision
  bool stopped = false;  // somebody asked to
};

struct Step {
  std::size_t round = 0;  // 0: warm-up
  std::size_t run = 0;    // within the round, from 0
  std::size_t runs_a_round = 0;
  const std::string* name = nullptr;
};

struct Hooks {
  std::function<void(const Step&)> before_run = [](const Step&) {};
  std::function<bool()> stop = [] { return false; };
  std::function<Nanoseconds()> now = monotonic_ns;
};

// Runs until every ratio is known to rules.precision, or a limit is reached. Stops early when asked
// (a round that is not whole is left out), and when the base fails.
Measured measure(const std::vector<Contender>& contenders, const Rules& rules,
                 const Hooks& hooks = {});

enum class Verdict { kBase, kFaster, kSlower, kNone, kFailed };

const char* to_string(Verdict verdict);

struct Judgement {
  std::string name;
  std::size_t n = 0;
  double median = 0;  // millions of items a second, as the next three
  double spread = 0;  // mad()
  double least = 0;
  double most = 0;
  double ratio = 1;  // to the base: median of the ratios within rounds
  Interval interval{1, 1};
  MannWhitney test;
  double p = 1;  // of the test; Holm-corrected over the variants, the control alone
  Verdict verdict = Verdict::kNone;
  std::string error;
};

struct Judged {
  std::vector<Judgement> variants;  // the base first
  Judgement control;
  double stray = 0;    // how far from 1 the control's interval still reaches
  bool noisy = false;  // the control itself shows a difference: nothing here can be believed
  bool few = false;    // fewer than kLeastRounds rounds: no verdicts
};

// A difference is shown when p < 0.05, and the interval excludes 1, and the ratio is farther from 1
// than the control's interval reaches: what the base might differ from itself by is no difference.
// Distances are taken on the logarithm, so that twice and half are equally far.
Judged judge(const Measured& measured);

}  // namespace qdiscsim::ring_bench
