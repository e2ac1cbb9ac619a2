// Every interleaving of two threads over the real source of the transmit path: an Smp policy whose
// accesses to the run state are steps, two fibers, and a search over all schedules that leaves out
// states seen before. The machine is sequentially consistent: memory orders are not tested here.
//
// A state is what is in the run state and the ring, and what each fiber has read so far: with that,
// both go on alike. One thread; a fiber that is given up is not unwound, so bodies must own
// nothing.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/smp_native.h"
#include "ring/ring_choice.h"

namespace qdiscsim::test {

class Fibers {
 public:
  static constexpr std::size_t kFibers = 2;
  static constexpr std::size_t kStack = 64U << 10U;

  // What is shared: steps are taken at accesses to [from, to) only.
  void watch(const void* from, std::size_t bytes) {
    from_ = reinterpret_cast<std::uintptr_t>(from);
    to_ = from_ + bytes;
  }
  bool watched(const void* word) const {
    const auto at = reinterpret_cast<std::uintptr_t>(word);
    return at >= from_ && at < to_;
  }
  std::uintptr_t offset(const void* word) const {
    return reinterpret_cast<std::uintptr_t>(word) - from_;
  }

  // Called by a fiber before each access: another may go first.
  void step() {
    if (current_ < kFibers) swapcontext(&contexts_[current_], &scheduler_);
  }
  // Called by a fiber after it, with what it saw and what it did.
  template <class Text>
  void observe(std::uint64_t value, Text&& text) {
    if (current_ >= kFibers) return;
    std::uint64_t& history = histories_[current_];
    history = (history ^ (value + 0x9e3779b97f4a7c15U)) * 0x100000001b3U;
    if (trace)
      trace_lines.push_back(std::string(1, static_cast<char>('A' + current_)) + "  " + text());
  }

  // Called by a fiber at a point where what it has read no longer matters.
  void forget(std::uint64_t point) {
    if (current_ >= kFibers) return;
    points_[current_] = point;
    histories_[current_] = point;
  }
  // The same where a softirq begins, at its first step: all rounds of one call are alike.
  void forget_in_softirq() {
    if (current_ >= kFibers) return;
    points_[current_] |= 1U << 16U;
    histories_[current_] = points_[current_];
  }
  // And where a runner has a packet in its hand: how it got there no longer matters.
  void forget_but(std::uint64_t packet) {
    if (current_ < kFibers) histories_[current_] = points_[current_] | packet << 32U;
  }

  void start(std::array<std::function<void()>, kFibers> bodies) {
    bodies_ = std::move(bodies);
    for (std::size_t i = 0; i < kFibers; ++i) {
      done_[i] = false;
      histories_[i] = 0;
      points_[i] = 0;
      getcontext(&contexts_[i]);
      contexts_[i].uc_stack.ss_sp = stacks_[i].get();
      contexts_[i].uc_stack.ss_size = kStack;
      contexts_[i].uc_link = &scheduler_;
      makecontext(&contexts_[i], &Fibers::enter, 0);
    }
    trace_lines.clear();
  }
  // One step of a fiber that is not done.
  void advance(std::size_t fiber) {
    current_ = fiber;
    swapcontext(&scheduler_, &contexts_[fiber]);
    current_ = kFibers;
  }
  bool done(std::size_t fiber) const { return done_[fiber]; }
  std::uint64_t history(std::size_t fiber) const { return histories_[fiber]; }

  static Fibers& instance() {
    static Fibers fibers;
    return fibers;
  }

  bool trace = false;
  std::vector<std::string> trace_lines;

 private:
  Fibers() {
    for (auto& stack : stacks_) stack = std::make_unique<std::byte[]>(kStack);
  }
  static void enter() {
    Fibers& self = instance();
    const std::size_t fiber = self.current_;
    self.bodies_[fiber]();
    self.done_[fiber] = true;
  }

  std::uintptr_t from_ = 0;
  std::uintptr_t to_ = 0;
  std::size_t current_ = kFibers;
  ucontext_t scheduler_{};
  std::array<ucontext_t, kFibers> contexts_{};
  std::array<std::unique_ptr<std::byte[]>, kFibers> stacks_;
  std::array<std::function<void()>, kFibers> bodies_;
  std::array<bool, kFibers> done_{};
  std::array<std::uint64_t, kFibers> histories_{};
  std::array<std::uint64_t, kFibers> points_{};
};

// The policy.
struct Interleaved : smp::NativeManual {
  template <class T>
  class atomic {
   public:
    constexpr atomic() noexcept : value_{} {}
    constexpr explicit atomic(T value) noexcept : value_{value} {}

    T load(smp::order /*order*/) const {
      return access("load", 0, [&] { return value_; });
    }
    void store(T value, smp::order /*order*/) {
      access("store", number(value), [&] { return value_ = value; });
    }
    T exchange(T value, smp::order /*order*/) {
      return access("exchange", number(value), [&] { return std::exchange(value_, value); });
    }
    T fetch_add(T value, smp::order /*order*/) {
      return access("add", number(value), [&] { return std::exchange(value_, value_ + value); });
    }
    T fetch_or(T value, smp::order /*order*/) {
      return access("or", number(value), [&] { return std::exchange(value_, value_ | value); });
    }
    T fetch_and(T value, smp::order /*order*/) {
      const T seen =
          access("and", number(value), [&] { return std::exchange(value_, value_ & value); });
      // SCHED is cleared where a softirq begins, and nowhere else.
      if (Fibers::instance().watched(this) && value == static_cast<T>(~T{1})) {
        Fibers::instance().forget_in_softirq();
      }
      return seen;
    }

   private:
    static std::uint64_t number(T value) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<std::uint64_t>(value);
      } else {
        return reinterpret_cast<std::uintptr_t>(value);
      }
    }
    template <class Do>
    T access(const char* what, std::uint64_t operand, Do&& act) const {
      Fibers& fibers = Fibers::instance();
      if (!fibers.watched(this)) return act();
      fibers.step();
      const T seen = act();
      fibers.observe(number(seen), [&] {
        constexpr std::array<const char*, 4> kWords{"seqlock", "bits", "bugs", "beats"};
        return std::string(kWords.at(fibers.offset(this) / sizeof(T))) + ' ' + what + ' ' +
               std::to_string(operand) + " -> " + std::to_string(number(seen));
      });
      return seen;
    }

    T value_;
  };

  // No lock is ever busy here: what is locked takes no steps.
  template <class Atomic, class Predicate>
  static auto spin_until(Atomic& word, Predicate&& predicate, smp::order order) {
    const auto value = word.load(order);
    QDISCSIM_CHECK(predicate(value));
    return value;
  }
};

// A ring of one step an access, for TypedRing. The second one made (band 1) takes steps, the others
// stay empty and take none.
class StepRing {
 public:
  explicit StepRing(std::size_t size) : size_{size}, steps_{made++ % 3 == 1} {
    if (steps_) used = this;
  }

  std::size_t size() const noexcept { return size_; }
  bool produce(void* entry) { return produce_unlocked(entry); }
  bool produce_unlocked(void* entry) {
    step();
    if (entries.size() == size_) return false;
    entries.push_back(entry);
    observe("enqueue", entry);
    return true;
  }
  template <class T>
  std::size_t produce_batched(std::span<T* const> list) {
    for (T* entry : list) produce(entry);
    return list.size();
  }
  void* consume() { return consume_unlocked(); }
  void* consume_unlocked() {
    if (!steps_) return nullptr;
    step();
    void* entry = nullptr;
    if (!entries.empty()) {
      entry = entries.front();
      entries.pop_front();
    }
    observe("dequeue", entry);
    if (entry != nullptr) Fibers::instance().forget_but(name_of(entry));
    return entry;
  }
  void* peek_unlocked() const { return entries.empty() ? nullptr : entries.front(); }
  bool looks_empty() const { return entries.empty(); }
  std::size_t count_at_rest() const { return entries.size(); }

  template <class... Ignored>
  static bool resize_multiple(const Ignored&... /*ignored*/) {
    return false;
  }

  std::deque<void*> entries;

  static inline std::size_t made = 0;
  static inline StepRing* used = nullptr;
  // The number of an entry, from 1; 0 for none.
  static inline std::function<std::uint64_t(const void*)> name_of;

 private:
  void step() const {
    if (steps_) Fibers::instance().step();
  }
  void observe(const char* what, const void* entry) const {
    if (!steps_) return;
    const std::uint64_t name = entry == nullptr ? 0 : name_of(entry);
    Fibers::instance().observe(name, [&] {
      return std::string(what) + (name == 0 ? " -> nothing" : " packet " + std::to_string(name));
    });
  }

  std::size_t size_;
  bool steps_;
};

struct Found {
  std::uint64_t runs = 0;
  std::uint64_t states = 0;
  std::string wrong;                  // the first broken promise, empty when there is none
  std::vector<std::string> schedule;  // the steps that lead there
};

// World: made anew for each run, with
//   bodies()   what the two fibers do
//   state()    a number for all that they share
//   wrong()    after each step: what must not be, or empty
// Stops at the first thing that is wrong.
template <class World, class Make>
Found explore(Make&& make) {
  constexpr std::size_t kLongest = 4'000;  // steps; more is a livelock
  Fibers& fibers = Fibers::instance();
  Found found;
  std::unordered_set<std::uint64_t> seen;
  std::vector<std::vector<std::uint8_t>> todo{{}};
  const auto one_run = [&](std::vector<std::uint8_t> path, bool branch) {
    std::unique_ptr<World> world = make();
    fibers.start(world->bodies());
    std::string wrong;
    for (std::size_t at = 0; wrong.empty() && !(fibers.done(0) && fibers.done(1)); ++at) {
      if (at >= kLongest) return std::pair{std::string("does not come to an end"), path};
      std::uint8_t next = fibers.done(0) ? 1 : 0;
      if (at < path.size()) {
        next = path[at];
      } else {
        if (!fibers.done(0) && !fibers.done(1)) {
          std::uint64_t key = world->state();
          for (const std::size_t i : {0U, 1U}) {
            key = (key ^ fibers.history(i)) * 0x9e3779b97f4a7c15U;
            key ^= key >> 29U;
          }
          if (branch && !seen.insert(key).second) return std::pair{std::string(), path};
          if (branch) {
            todo.push_back(path);
            todo.back().push_back(1);
          }
        }
        path.push_back(next);
      }
      fibers.advance(next);
      wrong = world->wrong(fibers.done(0) && fibers.done(1));
    }
    return std::pair{wrong, path};
  };
  while (!todo.empty() && found.wrong.empty()) {
    std::vector<std::uint8_t> path = std::move(todo.back());
    todo.pop_back();
    ++found.runs;
    auto [wrong, steps] = one_run(std::move(path), true);
    if (wrong.empty()) continue;
    fibers.trace = true;
    one_run(steps, false);
    fibers.trace = false;
    found.wrong = std::move(wrong);
    found.schedule = fibers.trace_lines;
  }
  found.states = seen.size();
  return found;
}

}  // namespace qdiscsim::test
