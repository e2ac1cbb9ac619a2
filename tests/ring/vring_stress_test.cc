// A driver thread and a host thread on one vring. Each sleeps when it has nothing to do and has
// asked for a notification: a lost one would leave both asleep.

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "ring/notifier.h"
#include "tests/ring/vring_lab.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kBuffers = 3'000;
#else
constexpr std::uint64_t kBuffers = 60'000;
#endif

struct Case {
  std::size_t size;
  bool event_index;
  bool delayed;
  bool toggle;  // the host turns notifications on and off before each buffer
};

template <class CacheAvail>
class Pair {
 public:
  explicit Pair(const Case& what) : case_{what}, lab_{what.size, what.event_index, 0xfff0} {}

  void run() {
    std::thread host{[this] { serve(); }};
    drive();
    stop_.store(true, std::memory_order_release);
    kick_.signal();
    host.join();
    EXPECT_EQ(lab_.driver.broken() + lab_.host.counters().broken, 0U);
  }

 private:
  // Long past any scheduler's delay: a notification was lost.
  static constexpr Nanoseconds kForever = 60 * kSecond;

  bool sleep(EventCounter<Smp>& event) {
    const Nanoseconds deadline = Smp::now() + kForever;
    Smp::Spinner spinner;
    while (!event.pending()) {
      spinner.stand_aside();
      if (Smp::now() > deadline) {
        ADD_FAILURE() << "nobody woke a sleeper";
        stop_.store(true, std::memory_order_release);
        return false;
      }
    }
    event.take();
    return true;
  }

  // Numbers go out in order; each comes back once, in order, with the host's answer in its bytes.
  void drive() {
    std::uint64_t sent = 0;
    std::uint64_t back = 0;
    while (back < kBuffers) {
      lab_.driver.disable_callbacks();
      bool more = true;
      while (more) {
        more = false;
        while (sent < kBuffers && sent - back < case_.size) {
          std::memcpy(lab_.host_bytes(sent), &sent, sizeof sent);
          ASSERT_TRUE(lab_.driver.add_in(lab_.piece(sent), lab_.token(sent)));
          ++sent;
          if (lab_.driver.kick_prepare()) kick_.signal();
        }
        while (void* token = lab_.driver.get_used()) {
          ASSERT_EQ(token, lab_.token(back));
          std::uint64_t answer = 0;
          std::memcpy(&answer, lab_.host_bytes(back), sizeof answer);
          ASSERT_EQ(answer, ~back);
          ++back;
          more = true;
        }
      }
      const bool idle =
          case_.delayed ? lab_.driver.enable_callbacks_delayed() : lab_.driver.enable_callbacks();
      if (idle && back < kBuffers && !sleep(call_)) return;
    }
  }

  void serve() {
    VringBuffer buffer;
    std::uint64_t expected = 0;
    while (!stop_.load(std::memory_order_acquire)) {
      lab_.host.disable_notify();
      for (;;) {
        if (case_.toggle) {
          static_cast<void>(lab_.host.enable_notify());
          lab_.host.disable_notify();
        }
        const VringTake took = lab_.host.take(buffer);
        if (took == VringTake::kEmpty) {
          if (!lab_.host.enable_notify()) break;
          lab_.host.disable_notify();
          continue;
        }
        ASSERT_EQ(took, VringTake::kBuffer);
        std::uint64_t number = 0;
        std::memcpy(&number, buffer.pieces[0].host, sizeof number);
        ASSERT_EQ(number, expected);
        ++expected;
        number = ~number;
        std::memcpy(buffer.pieces[0].host, &number, sizeof number);
        lab_.host.add_used(buffer.head, sizeof number);
        if (lab_.host.signal_prepare()) call_.signal();
      }
      if (!stop_.load(std::memory_order_acquire) && !sleep(kick_)) return;
    }
  }

  Case case_;
  test::VringLab<CacheAvail> lab_;
  EventCounter<Smp> kick_;
  EventCounter<Smp> call_;
  std::atomic<bool> stop_{false};
};

template <class CacheAvail>
class VringStress : public testing::Test {};
using Policies = testing::Types<KeepAvailIndex, DropAvailIndex>;
TYPED_TEST_SUITE(VringStress, Policies);

TYPED_TEST(VringStress, LosesNoBufferAndNoWakeUpWithTheEventIndex) {
  for (const std::size_t size : {1U, 2U, 64U}) Pair<TypeParam>{{size, true, false, false}}.run();
}
TYPED_TEST(VringStress, LosesNoBufferAndNoWakeUpWithFlags) {
  for (const std::size_t size : {2U, 64U}) Pair<TypeParam>{{size, false, false, false}}.run();
}
TYPED_TEST(VringStress, LosesNoBufferAndNoWakeUpWithDelayedSignals) {
  Pair<TypeParam>{{64, true, true, false}}.run();
}
TYPED_TEST(VringStress, LosesNoBufferAndNoWakeUpWhenNotificationsAreToggled) {
  Pair<TypeParam>{{64, true, false, true}}.run();
  Pair<TypeParam>{{64, false, false, true}}.run();
}

}  // namespace
}  // namespace qdiscsim
