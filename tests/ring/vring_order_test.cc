// The memory orders of vring and notifier that carry data are needed: see order_test.cmake. The
// four that decide about notifications order a store before a load, which ThreadSanitizer does not
// see; vring.h argues for them. recheck is one of them, and carries data as well.

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "ring/notifier.h"
#include "tests/ring/vring_lab.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

struct WeakPublishAvail : VringOrders {
  static constexpr smp::order publish_avail = smp::relaxed;
};
struct WeakObserveAvail : VringOrders {
  static constexpr smp::order observe_avail = smp::relaxed;
};
struct WeakPublishUsed : VringOrders {
  static constexpr smp::order publish_used = smp::relaxed;
};
struct WeakObserveUsed : VringOrders {
  static constexpr smp::order observe_used = smp::relaxed;
};
struct WeakRecheck : VringOrders {
  static constexpr smp::order recheck = smp::relaxed;
};
struct WeakRaise : NotifierOrders {
  static constexpr smp::order raise = smp::relaxed;
};
struct WeakSense : NotifierOrders {
  static constexpr smp::order sense = smp::relaxed;
};
struct WeakClaim : NotifierOrders {
  static constexpr smp::order claim = smp::relaxed;
};
struct WeakBegin : NotifierOrders {
  static constexpr smp::order begin = smp::relaxed;
};
struct WeakPush : NotifierOrders {
  static constexpr smp::order push = smp::relaxed;
};
struct WeakGrab : NotifierOrders {
  static constexpr smp::order grab = smp::relaxed;
};

// Driver and host poll: nothing but the indexes orders them. With `toggle` the host looks for work
// by enable_notify alone, and takes what it says.
template <class Orders>
int ring(bool toggle) {
  constexpr std::uint64_t kBuffers = 10'000;
  constexpr std::size_t kSize = 16;
  test::VringLab<KeepAvailIndex, Orders> lab{kSize, true};
  std::atomic<std::uint64_t> wrong{0};
  std::thread host{[&] {
    VringBuffer buffer;
    Smp::Spinner spinner;
    for (std::uint64_t expected = 0; expected < kBuffers; ++expected) {
      while (toggle && !lab.host.enable_notify()) {
        lab.host.disable_notify();
        spinner.pause();
      }
      lab.host.disable_notify();
      while (lab.host.take(buffer) != VringTake::kBuffer) spinner.pause();
      std::uint64_t number = 0;
      std::memcpy(&number, buffer.pieces[0].host, sizeof number);
      if (number != expected) wrong.fetch_add(1, std::memory_order_relaxed);
      lab.host.add_used(buffer.head, 0);
    }
  }};
  Smp::Spinner spinner;
  for (std::uint64_t sent = 0, back = 0; back < kBuffers;) {
    if (sent < kBuffers && sent - back < kSize) {
      std::memcpy(lab.host_bytes(sent), &sent, sizeof sent);
      lab.driver.add_out(lab.piece(sent), lab.token(sent));
      ++sent;
    }
    if (lab.driver.get_used() != nullptr) {
      ++back;
    } else {
      spinner.pause();
    }
  }
  host.join();
  return wrong.load(std::memory_order_relaxed) == 0 ? 0 : 1;
}

// Two threads hand a plain number to and fro; the reader reads before it takes the count.
template <class Orders>
int event() {
  constexpr std::uint64_t kTurns = 500;
  EventCounter<Smp, Orders> there;
  EventCounter<Smp, Orders> back;
  std::uint64_t number = 0;
  std::thread other{[&] {
    for (std::uint64_t i = 0; i < kTurns; ++i) {
      there.wait();
      ++number;
      there.take();
      back.signal();
    }
  }};
  for (std::uint64_t i = 0; i < kTurns; ++i) {
    ++number;
    there.signal();
    back.wait();
    ++number;
    back.take();
  }
  other.join();
  return number == 3 * kTurns ? 0 : 1;
}

// Items are written, then work is queued that reads all of them that it was queued for.
template <class Orders>
int work_list() {
  constexpr std::size_t kItems = 20'000;
  WorkList<Smp, Orders> list;
  std::vector<std::uint64_t> items(kItems);
  std::atomic<std::size_t> queued{0};
  class Sum final : public WorkList<Smp, Orders>::Work {
   public:
    Sum(const std::vector<std::uint64_t>& all, std::atomic<std::size_t>& done)
        : items_{all}, queued_{done} {}
    void look() { known_ = queued_.load(std::memory_order_relaxed); }
    void run() noexcept override {
      for (; next_ < known_; ++next_) sum_ += items_[next_];
    }
    std::uint64_t sum() const { return sum_; }
    std::size_t next() const { return next_; }

   private:
    const std::vector<std::uint64_t>& items_;
    std::atomic<std::size_t>& queued_;
    std::size_t known_ = 0;  // queued before this run began
    std::size_t next_ = 0;
    std::uint64_t sum_ = 0;
  };
  Sum sum{items, queued};
  std::thread producer{[&] {
    for (std::size_t i = 0; i < kItems; ++i) {
      items[i] = i;
      list.queue(sum);
      queued.store(i + 1, std::memory_order_relaxed);
    }
  }};
  Smp::Spinner spinner;
  while (sum.next() < kItems) {
    sum.look();
    if (list.run_all() == 0) {
      // What was queued for the last items may have run before they were counted.
      if (queued.load(std::memory_order_relaxed) == kItems) list.queue(sum);
      spinner.pause();
    }
  }
  producer.join();
  return sum.sum() == kItems * (kItems - 1) / 2 ? 0 : 1;
}

int run(const std::string& variant) {
  if (variant == "polling") return ring<VringOrders>(false);
  if (variant == "polling_publish_avail") return ring<WeakPublishAvail>(false);
  if (variant == "polling_observe_avail") return ring<WeakObserveAvail>(false);
  if (variant == "polling_publish_used") return ring<WeakPublishUsed>(false);
  if (variant == "polling_observe_used") return ring<WeakObserveUsed>(false);
  if (variant == "toggling") return ring<VringOrders>(true);
  if (variant == "toggling_recheck") return ring<WeakRecheck>(true);
  if (variant == "event") return event<NotifierOrders>();
  if (variant == "event_raise") return event<WeakRaise>();
  if (variant == "event_sense") return event<WeakSense>();
  if (variant == "work_list") return work_list<NotifierOrders>();
  if (variant == "work_list_claim") return work_list<WeakClaim>();
  if (variant == "work_list_begin") return work_list<WeakBegin>();
  if (variant == "work_list_push") return work_list<WeakPush>();
  if (variant == "work_list_grab") return work_list<WeakGrab>();
  std::fprintf(stderr, "unknown variant '%s'\n", variant.c_str());
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  return qdiscsim::run(argc == 2 ? argv[1] : "");
}
