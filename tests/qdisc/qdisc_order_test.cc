// Memory orders of the run protocol and of grace periods that ThreadSanitizer can see the need of:
// see tests/ring/order_test.cmake. The argument names the scenario (run_state, downtime,
// quiescence), with _ORDER for the order that is weakened.
//
// Not here, because no data race comes of them but a packet that is stuck or a reader that is
// overlooked: the store-load orders of RunStateOrders (unlock against recheck, mark against retry
// and recheck), of TxQueueOrders, and QuiescenceOrders::enter. ThreadSanitizer does not reorder;
// they are for a checker of interleavings under a weak memory model.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "base/quiescence.h"
#include "base/smp_native.h"
#include "qdisc/run_state.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

struct WeakEnter : RunStateOrders {
  static constexpr smp::order enter = smp::relaxed;
};
struct WeakUnlock : RunStateOrders {
  static constexpr smp::order unlock = smp::relaxed;
};

// Two threads count under the seqlock, as runners use the consumer side of the rings.
template <class Orders>
int run_state() {
  constexpr std::uint64_t kTurns = 20'000;
  RunState<Smp, Orders> state;
  std::uint64_t drained = 0;
  const auto work = [&] {
    std::uint64_t mine = 0;
    Smp::Spinner spinner;
    while (mine < kTurns) {
      if (!state.run_begin()) {
        spinner.pause();
        continue;
      }
      ++drained;
      ++mine;
      static_cast<void>(state.run_end());
    }
  };
  std::thread other{work};
  work();
  other.join();
  return drained == 2 * kTurns ? 0 : 1;
}

struct WeakAdmit : RunStateOrders {
  static constexpr smp::order admit = smp::relaxed;
};
struct WeakMark : RunStateOrders {
  static constexpr smp::order mark = smp::relaxed;
};

// The control thread takes the queue down, changes plain data and puts it up again; a sender uses
// the data while it is let in.
template <class Orders>
int downtime() {
  constexpr std::uint64_t kTurns = 500;
  RunState<Smp, Orders> state;
  QuiescentEpoch<Smp> epoch;
  QuiescentReader<Smp> reader;
  std::uint64_t length = 0;
  Smp::atomic<std::uint64_t> seen;
  std::thread sender{[&] {
    reader.go_online(epoch);
    for (std::uint64_t last = 0; last < kTurns; reader.quiescent(epoch)) {
      if ((state.admit() & RunState<Smp, Orders>::kDeactivated) != 0) continue;
      last = length;
      seen.store(last, smp::relaxed);
    }
    reader.go_offline();
  }};
  QuiescentReader<Smp>* const readers[]{&reader};
  for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
    state.deactivate();
    epoch.synchronize(readers);
    length = turn;
    state.activate();
    Smp::spin_until(
        seen, [turn](std::uint64_t value) { return value == turn; }, smp::relaxed);
  }
  sender.join();
  return 0;
}

struct WeakOpen : QuiescenceOrders {
  static constexpr smp::order open = smp::relaxed;
};
struct WeakAdopt : QuiescenceOrders {
  static constexpr smp::order adopt = smp::relaxed;
};
struct WeakAnnounce : QuiescenceOrders {
  static constexpr smp::order announce = smp::relaxed;
};
struct WeakAwait : QuiescenceOrders {
  static constexpr smp::order await = smp::relaxed;
};

// Two slots; readers look at the one that `use` names, which itself orders nothing. The writer
// fills the other one, lets a grace period publish it, names it, and lets a second one end the use
// of the first.
template <class Orders>
int quiescence() {
  constexpr std::uint64_t kTurns = 1'000;
  QuiescentEpoch<Smp, Orders> epoch;
  QuiescentReader<Smp, Orders> reader;
  std::array<std::uint64_t, 2> slots{};
  Smp::atomic<std::uint32_t> use;
  Smp::atomic<bool> online;
  Smp::atomic<bool> stop;
  std::uint64_t went_back = 0;
  std::thread thread{[&] {
    std::uint64_t last = 0;
    reader.go_online(epoch);
    online.store(true, smp::relaxed);
    while (!stop.load(smp::relaxed)) {
      const std::uint64_t value = slots[use.load(smp::relaxed)];
      if (value < last) ++went_back;
      last = value;
      reader.quiescent(epoch);
    }
    reader.go_offline();
  }};
  Smp::spin_until(
      online, [](bool value) { return value; }, smp::relaxed);
  QuiescentReader<Smp, Orders>* const readers[]{&reader};
  for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
    const std::uint32_t other = 1 - use.load(smp::relaxed);
    slots[other] = turn;
    epoch.synchronize(readers);
    use.store(other, smp::relaxed);
    epoch.synchronize(readers);
  }
  stop.store(true, smp::relaxed);
  thread.join();
  return went_back == 0 ? 0 : 1;
}

int run(const std::string& variant) {
  if (variant == "run_state") return run_state<RunStateOrders>();
  if (variant == "run_state_enter") return run_state<WeakEnter>();
  if (variant == "run_state_unlock") return run_state<WeakUnlock>();
  if (variant == "downtime") return downtime<RunStateOrders>();
  if (variant == "downtime_admit") return downtime<WeakAdmit>();
  if (variant == "downtime_mark") return downtime<WeakMark>();
  if (variant == "quiescence") return quiescence<QuiescenceOrders>();
  if (variant == "quiescence_open") return quiescence<WeakOpen>();
  if (variant == "quiescence_adopt") return quiescence<WeakAdopt>();
  if (variant == "quiescence_announce") return quiescence<WeakAnnounce>();
  if (variant == "quiescence_await") return quiescence<WeakAwait>();
  std::fprintf(stderr, "unknown variant '%s'\n", variant.c_str());
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  return qdiscsim::run(argc == 2 ? argv[1] : "");
}
