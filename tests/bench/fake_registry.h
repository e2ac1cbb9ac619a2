// A registry whose rings need no time and no threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/ring/registry.h"

namespace qdiscsim::ring_bench::test {

// Runs `rate` M items/s; each call is a hundredth of a percent faster or slower than the one
// before.
inline Variant steady(const std::string& name, double rate) {
  auto calls = std::make_shared<int>(0);
  return {name, "runs at " + std::to_string(static_cast<int>(rate)), [=](const Params& params) {
            Outcome outcome;
            outcome.items = params.count;
            outcome.seconds = static_cast<double>(params.count) / rate / 1e6;
            outcome.seconds *= 1 + 0.0001 * ((*calls)++ % 5);
            outcome.longest_stall = 250'000;
            outcome.figures = {{"dropped Mpps", 0.33}};
            return outcome;
          }};
}

inline Variant broken(const std::string& name) {
  return {name, "loses items", [](const Params&) {
            Outcome outcome;
            outcome.error = "order broken: expected item 7, found item 9";
            return outcome;
          }};
}

// simple: one, two; spsc: nothing; mpsc: fast, slow, fast_too, broken.
inline Registry fake_registry() {
  Registry registry;
  registry.mode("simple").about = "one thread";
  registry.mode("spsc").about = "two threads";
  registry.mode("mpsc").about = "many producers";
  registry.add("simple", steady("one", 50));
  registry.add("simple", steady("two", 60));
  registry.add("mpsc", steady("fast", 100));
  registry.add("mpsc", steady("slow", 50));
  registry.add("mpsc", steady("fast_too", 100));
  registry.add("mpsc", broken("broken"));
  return registry;
}

}  // namespace qdiscsim::ring_bench::test
