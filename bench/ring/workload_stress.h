// Workload `stress`, after DPDK's ring stress test: every worker takes 28 to 43 objects from the
// ring, checks and marks that nobody else has them, and puts them back, over and over. The ring is
// half full of them, so that neither room nor objects run out.
//
// A run ends when each worker has moved its share of the count, or when the time is over: that is
// no error here, since what is slow is to be shown. It is one when an object is missing at the end,
// there twice, or in two hands at once.
//
// Cycles are those of the time stamp counter, for one dequeue and one enqueue together; what lies
// between them is left out. A worker that is preempted inside a call shows as a long call.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/prng.h"
#include "bench/ring/adapter.h"
#include "bench/ring/items.h"
#include "bench/ring/threads.h"

namespace qdiscsim::ring_bench {

inline std::uint64_t cycles_now() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return monotonic_ns();
#endif
}

// What goes round. Only its holder writes it, if the ring is right.
struct alignas(kCacheLine) StressObject {
  std::atomic<std::uint32_t> holder{0};  // worker + 1; 0: it is in the ring
};

class StressObjects {
 public:
  explicit StressObjects(std::size_t count)
      : count_{count}, objects_{std::make_unique<StressObject[]>(count)} {}

  std::size_t count() const noexcept { return count_; }
  void* pointer(std::size_t index) noexcept { return &objects_[index]; }

  // From one holder to the next. False: something else came, or another one holds it; then error()
  // tells. One worker at a time may fail.
  bool hand_over(void* const* items, std::size_t count, std::uint32_t from, std::uint32_t to,
                 std::string& error) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t offset = as_item(items[i]) - as_item(objects_.get());
      if (offset % sizeof(StressObject) != 0 || offset / sizeof(StressObject) >= count_) {
        error = "content broken: expected an object, found " + item_text(as_item(items[i]));
        return false;
      }
      std::atomic<std::uint32_t>& holder = objects_[offset / sizeof(StressObject)].holder;
      const std::uint32_t found = holder.load(std::memory_order_relaxed);
      if (found != from) [[unlikely]] {
        error = "object " + std::to_string(offset / sizeof(StressObject)) + " twice: expected " +
                holder_text(from) + ", found " + holder_text(found);
        return false;
      }
      holder.store(to, std::memory_order_relaxed);
    }
    return true;
  }
  // After the run, when everything that was found in the ring has been handed to `drain`.
  std::string missing_text(std::uint32_t drain) const {
    std::size_t missing = 0;
    std::size_t first = 0;
    for (std::size_t i = count_; i-- > 0;) {
      if (objects_[i].holder.load(std::memory_order_relaxed) == drain) continue;
      ++missing;
      first = i;
    }
    if (missing == 0) return {};
    return "lost: expected " + std::to_string(count_) + " objects at the end, found " +
           std::to_string(count_ - missing) + "; the first one missing is object " +
           std::to_string(first);
  }

 private:
  static std::string holder_text(std::uint32_t holder) {
    return holder == 0 ? "in the ring" : "in the hands of worker " + std::to_string(holder - 1);
  }

  std::size_t count_;
  std::unique_ptr<StressObject[]> objects_;
};

struct alignas(kCacheLine) StressWorker {
  std::uint64_t calls = 0;
  std::uint64_t objects = 0;
  std::uint64_t cycles = 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  std::string error;
};

// Puts all of them back. A ring that reserves ahead may look full while another worker is preempted
// in the middle of a call; for that one it waits, after the end of the run for a few seconds more.
template <RingAdapter Ring>
bool put_back(Ring& ring, unsigned who, void* const* items, std::size_t count,
              RunControl& control) noexcept {
  constexpr Nanoseconds kGrace = 5 * kSecond;
  std::size_t stored = ring.push(who, items, count);
  Wait wait{control};
  Nanoseconds ended = 0;
  while (stored != count) [[unlikely]] {
      if (!wait.pause()) {
        const Nanoseconds now = RunControl::Clock::now();
        if (ended == 0) ended = now;
        if (now - ended > kGrace) return false;
      }
      stored += ring.push(who, items + stored, count - stored);
    }
  return true;
}

template <RingAdapter Ring>
void stress_worker(Ring& ring, unsigned who, std::uint64_t share, Prng prng, StressObjects& objects,
                   StressWorker& worker, RunControl& control) noexcept {
  constexpr std::uint32_t kLeast = 28;
  constexpr std::uint32_t kMost = 43;
  constexpr unsigned kCallsPerLook = 16;
  std::array<void*, kMost> items{};
  Wait wait{control};
  while (worker.objects < share && !control.stopped()) {
    const std::size_t wanted = prng.between(kLeast, kMost);
    const std::uint64_t began = cycles_now();
    const std::size_t got = ring.pop(who, items.data(), wanted);
    const std::uint64_t taken = cycles_now();
    if (got == 0) {
      if (!wait.pause()) return;
      continue;
    }
    bool right = objects.hand_over(items.data(), got, 0, who + 1, worker.error);
    right = right && objects.hand_over(items.data(), got, who + 1, 0, worker.error);
    if (!right) return control.stop();
    const std::uint64_t giving = cycles_now();
    if (!put_back(ring, who, items.data(), got, control)) {
      worker.error = "expected room for " + std::to_string(got) + " objects, found none";
      return control.stop();
    }
    const std::uint64_t call = (taken - began) + (cycles_now() - giving);
    worker.objects += got;
    worker.cycles += call;
    worker.least = std::min(worker.least, call);
    worker.most = std::max(worker.most, call);
    if (++worker.calls % kCallsPerLook == 0 && control.expired()) return;
  }
}

// Everything back, once each?
template <RingAdapter Ring>
std::string stress_remains(Ring& ring, StressObjects& objects, std::uint32_t drain) {
  std::array<void*, kMaxBurst> items{};
  std::string error;
  while (const std::size_t got = ring.pop(0, items.data(), items.size())) {
    if (!objects.hand_over(items.data(), got, 0, drain, error)) return error;
  }
  return objects.missing_text(drain);
}

template <RingAdapter Ring>
Outcome run_stress(const Params& params) {
  const unsigned workers = params.producers;
  Ring ring{params.size, workers};
  StressObjects objects{std::max<std::size_t>(params.size / 2, 1)};
  RunControl control{params};
  std::vector<StressWorker> all(workers);
  Outcome outcome;
  for (std::size_t i = 0; i < objects.count(); ++i) {
    void* const object = objects.pointer(i);
    // A ring may have a share of its room for each producer.
    if (ring.push(static_cast<unsigned>(i % workers), &object, 1) == 1) continue;
    outcome.error = "expected room for " + std::to_string(objects.count()) +
                    " objects before the run, found it for " + std::to_string(i);
    return outcome;
  }
  outcome.error = run_together(params, workers, control, [&](unsigned who) noexcept {
    stress_worker(ring, who, share_of(params.count, workers, who), Prng{params.seed + who}, objects,
                  all[who], control);
  });
  if (!outcome.error.empty()) return outcome;
  outcome.seconds = static_cast<double>(RunControl::Clock::now() - control.started()) / 1e9;

  StressWorker sum;
  for (const StressWorker& worker : all) {
    if (outcome.error.empty()) outcome.error = worker.error;
    sum.calls += worker.calls;
    sum.objects += worker.objects;
    sum.cycles += worker.cycles;
    sum.least = std::min(sum.least, worker.least);
    sum.most = std::max(sum.most, worker.most);
  }
  if (outcome.error.empty()) outcome.error = stress_remains(ring, objects, workers + 1);
  if (outcome.error.empty() && sum.objects == 0) {
    outcome.error = control.time_limit_text() + ": expected objects to move, found none that did";
  }
  if (!outcome.error.empty()) return outcome;
  outcome.items = sum.objects;
  outcome.figures = {
      {"calls", static_cast<double>(sum.calls)},
      {"objects", static_cast<double>(sum.objects)},
      {"cycles/object", static_cast<double>(sum.cycles) / static_cast<double>(sum.objects)},
      {"min cycles/call", static_cast<double>(sum.least)},
      {"max cycles/call", static_cast<double>(sum.most)},
  };
  return outcome;
}

}  // namespace qdiscsim::ring_bench
